import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct SkipForTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test(arguments: [
        ("{10}1{18}234{8}|", "{31}4{8}|", "^{39}!"),
        ("{10}1{9}|", "{20}|", "^{19}!"),
        ("{10}1{9}#", "{20}#", "^{19}!"),
    ])
    func elementsWithinTheSpanAreSkipped(source: String, expected: String, subscribed: String) {
        outcome(source, on: scheduler) { [scheduler] in $0.skip(.seconds(30), scheduler: scheduler) }
            .expect(expected, subscribed: subscribed)
    }

    @Test func theTimerIsSetBeforeTheSourceIsSubscribed() {
        let source = scheduler.cold("{30}12{8}|")
        scheduler.start { source.skip(.seconds(30), scheduler: scheduler) }.expect("{30}12{8}|")
    }

    @Test func theSpanEndsDuringAPause() {
        let source = scheduler.hot("--1---2")
        scheduler.start { source.skip(.seconds(4), scheduler: scheduler).paused(by: "-p------r", on: scheduler) }
            .expect("------2")
    }
}
