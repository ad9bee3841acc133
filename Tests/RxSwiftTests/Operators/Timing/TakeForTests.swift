import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TakeForTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test(arguments: [
        ("210:1 229:2 230:3 231:4 240|", "210:1 229:2 230:3 230| (200: 230)"), ("210:1 220|", "210:1 220| (200: 220)"),
        ("210:1 220!", "210:1 220! (200: 220)"),
    ])
    func itEndsWithTheSpanOrTheSource(source: String, expected: String) {
        let source = scheduler.hot(source)
        let observer = scheduler.start { source.take(for: .seconds(30), scheduler: scheduler) }
        #expect("\(observer.marble) \(source.subscribed)" == expected)
    }

    @Test func theTimerIsSetBeforeTheSourceIsSubscribed() {
        let source = scheduler.cold("30:1 31:2")
        #expect(scheduler.start { source.take(for: .seconds(30), scheduler: scheduler) }.marble == "230|")
    }

    @Test func aSourceThatEmitsInSubscribePassesWhole() {
        let observer = scheduler.start { Observable.of(1, 2, 3).take(for: .seconds(0), scheduler: scheduler) }
        #expect(observer.marble == "200:1 200:2 200:3 200|")
    }
}
