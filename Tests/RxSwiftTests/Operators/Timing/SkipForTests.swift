import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SkipForTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test(arguments: [
        ("210:1 229:2 230:3 231:4 240|", "231:4 240| (200: 240)"), ("210:1 220|", "220| (200: 220)"),
        ("210:1 220!", "220! (200: 220)"),
    ])
    func itSkipsWhatComesWithinTheSpan(source: String, expected: String) {
        let source = scheduler.hot(source)
        let observer = scheduler.start { source.skip(.seconds(30), scheduler: scheduler) }
        #expect("\(observer.marble) \(source.subscribed)" == expected)
    }

    @Test func theTimerIsSetBeforeTheSourceIsSubscribed() {
        let source = scheduler.cold("30:1 31:2 40|")
        #expect(scheduler.start { source.skip(.seconds(30), scheduler: scheduler) }.marble == "230:1 231:2 240|")
    }
}
