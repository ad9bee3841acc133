import RxSwift
import RxTest
import TestSupport
import Testing

struct FlatMapTests {
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func mergesInnerSources() {
        let inner = [scheduler.cold("5:1 15:2 16|"), scheduler.cold("5:3 30|")]
        let observer = scheduler.start { [scheduler] in scheduler.hot("210:0 215:1 220|").flatMap { inner[$0] } }
        #expect(observer.marble == "215:1 220:3 225:2 245|")
        #expect(inner.map(\.subscribed) == ["(210: 226)", "(215: 245)"])
    }

    @Test func anErrorOfTheSourceEndsAll() {
        let inner = scheduler.cold("5:1 50:2")
        let source = scheduler.hot("210:0 220!")
        #expect(scheduler.start { source.flatMap { _ in inner } }.marble == "215:1 220!")
        #expect(inner.subscribed == "(210: 220)")
    }

    @Test func anErrorOfAnInnerSourceEndsAll() {
        let inner = [scheduler.cold("5:1"), scheduler.cold("3!")]
        let source = scheduler.hot("210:0 220:1")
        #expect(scheduler.start { source.flatMap { inner[$0] } }.marble == "215:1 223!")
        #expect(inner.map(\.subscribed) == ["(210: 223)", "(220: 223)"])
        #expect(source.subscribed == "(200: 223)")
    }

    @Test func endsWithWhatTheClosureThrows() {
        #expect(
            outcome("210:1 220:2") { $0.flatMap { try passing($0, unless: 2, Observable.just($0)) } }
                == "210:1 220!b (200: 220)")
    }

    @Test func aPushFromWithinIsDeliveredAtOnce() {
        let (subject, log) = (PublishSubject<Int>(), Log())
        let subscription = subject.flatMap { Observable.just($0) }.subscribe(onNext: {
            log("s\($0)")
            if $0 == 1 { subject.onNext(2) }
            log("e\($0)")
        })
        subject.onNext(1)
        #expect(log.text == "s1 s2 e2 e1")
        subscription.dispose()
    }

    @Test func letsInnerSourcesThatHaveEndedGo() {
        let (subject, tracker) = (PublishSubject<Int>(), LifetimeTracker())
        let subscription = subject.flatMap { Observable.just(tracker.make($0)) }.subscribe()
        (0..<10).forEach(subject.onNext)
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func deliversOneAtATimeThoughInnerSourcesSendFromThreads() throws {
        let inner = (0..<4).map { _ in PublishSubject<Int>() }
        nonisolated(unsafe) var received: [Int] = []
        let subscription = Observable.from(0..<4).flatMap { inner[$0] }.subscribe(onNext: { received.append($0) })
        try runConcurrently(threads: 4) { index in
            for number in 0..<5_000 { inner[index].onNext(index * 5_000 + number) }
        }
        #expect(received.count == 20_000)
        subscription.dispose()
    }
}
