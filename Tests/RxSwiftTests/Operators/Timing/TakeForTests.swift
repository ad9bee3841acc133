import RxSwift
import RxTest
import TestSupport
import Testing

@Suite struct TakeForTests {
    let scheduler = TestScheduler(initialClock: 0)

    @Test(arguments: [
        ("{10}1{18}234{8}|", "{10}1{18}2(3|)", "^{29}!"),
        ("{10}1{9}|", "{10}1{9}|", "^{19}!"),
        ("{10}1{9}#", "{10}1{9}#", "^{19}!"),
    ])
    func itEndsWithTheSpanOrTheSource(source: String, expected: String, subscribed: String) {
        outcome(source, on: scheduler) { [scheduler] in $0.take(for: .seconds(30), scheduler: scheduler) }
            .expect(expected, subscribed: subscribed)
    }

    @Test func theTimerIsSetBeforeTheSourceIsSubscribed() {
        let source = scheduler.cold("{30}12")
        scheduler.start { source.take(for: .seconds(30), scheduler: scheduler) }.expect("{30}|")
    }

    @Test func synchronousSourcePassesCompletely() {
        let observer = scheduler.start { Observable.of(1, 2, 3).take(for: .seconds(0), scheduler: scheduler) }
        observer.expect("(123|)")
    }

    @Test func itEndsWithTheSpanDuringAPause() {
        let source = scheduler.hot("--1------2")
        scheduler.start { source.take(for: .seconds(5), scheduler: scheduler).paused(by: "-p------r", on: scheduler) }
            .expect("--1--|")
    }
}
