import RxSwift
import RxTest
import TestSupport
import Testing

struct CatchTests {
    private let log = Log()

    @Test func goesOnWithTheHandlersSequence() {
        let scheduler = TestScheduler(initialClock: 0)
        let other = scheduler.cold("10:7 20|")
        let source = scheduler.hot("210:1 220!")
        #expect(scheduler.start { source.catch { _ in other.asObservable() } }.marble == "210:1 230:7 240|")
        #expect(source.subscribed == "(200: 220)")
        #expect(other.subscribed == "(220: 240)")
    }

    @Test func doesNotCatchTwice() {
        #expect(seen(Observable<Int>.error(TestError.a).catch { _ in .error(TestError.b) }) == "error(b)")
    }

    @Test func endsWithWhatTheHandlerThrows() {
        #expect(outcome("210:1 220!") { $0.catch { _ in throw TestError.b } } == "210:1 220!b (200: 220)")
    }

    @Test func letsASuccessfulSequenceThrough() {
        #expect(outcome("210:1 220|") { $0.catch { _ in .just(9) } } == "210:1 220| (200: 220)")
        #expect(seen(Observable.just(1).catch { _ in .just(9) }) == "1 completed")
    }

    @Test func sendsAnElementInstead() {
        #expect(outcome("210:1 220!") { $0.catchAndReturn(9) } == "210:1 220:9 220| (200: 220)")
    }

    @Test func subscribesToTheOtherBeforeItLetsTheFailedGo() {
        let first = PublishSubject<Int>()
        let second = PublishSubject<Int>()
        let log = log
        let all = first.noteLifetime(in: log, as: "a").catch { _ in second.noteLifetime(in: log, as: "b") }
        let subscription = all.noteLifetime(in: log, as: "c").note(in: log)
        first.onError(TestError.a)
        #expect(log.take() == "c+ a+ b+ a-")
        subscription.dispose()
        #expect(log.text == "b- c-")
    }

    @Test func anEndlessSequenceThatTakesOverEndsWithItsSubscription() {
        let first = PublishSubject<Int>()
        _ = first.catch { _ in .repeatElement(1) }.take(2).note(in: log)
        first.onError(TestError.a)
        #expect(log.text == "1 1 completed")
    }

    @Test func freesTheHandlerOnceItHasBeenCalled() {
        let tracker = LifetimeTracker()
        let source = PublishSubject<Int>()
        func start() -> any Disposable {
            let tracked = tracker.make()
            return source.catch { _ in withExtendedLifetime(tracked) { .never() } }.subscribe()
        }
        let subscription = start()
        #expect(tracker.live == 1)
        source.onError(TestError.a)
        #expect(tracker.live == 0)
        subscription.dispose()
    }

    @Test func takesAHundredThousandElementsOnASmallStack() throws {
        let count = try runOnSmallThread {
            var count = 0
            let half = Observable.range(start: 0, count: 50_000)
            _ = half.concat(Observable.error(TestError.a)).catch { _ in half }.subscribe(onNext: { _ in count += 1 })
            return count
        }
        #expect(count == 100_000)
    }
}
