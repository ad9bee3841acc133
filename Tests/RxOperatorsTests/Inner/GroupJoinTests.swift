import RxOperators
import RxTest
import TestSupport
import Testing

struct GroupJoinTests {
    private func joined(_ left: String, _ right: String) -> String {
        let scheduler = TestScheduler(initialClock: 0)
        let (left, right) = (scheduler.hot(left), scheduler.hot(right))
        let log = Log()
        let subscription = left.groupJoin(
            right,
            leftDuration: { _ in Observable<Int>.timer(.seconds(3), scheduler: scheduler) },
            rightDuration: { _ in Observable<Int>.timer(.seconds(2), scheduler: scheduler) },
            resultSelector: { left, rights in rights.map { "\(left)\($0)" } }
        )
        .merge()
        .subscribe(onNext: { log($0) }, onError: { _ in log("#") }, onCompleted: { log("|") })
        scheduler.start()
        subscription.dispose()
        return log.text
    }

    @Test func groupJoinSpansOverlapPairsTheElements() {
        #expect(joined("-1-------2|", "--5---6-7---") == "15 27 |")
    }

    @Test func groupJoinLeftCompletedWaitsForItsSpans() {
        #expect(joined("-1|", "---5---6") == "15 |")
    }

    @Test func groupJoinRightCompletedKeepsItsElements() {
        #expect(joined("--1-|", "-5|") == "15 |")
    }

    @Test func groupJoinErrorOfEitherSequenceEndsTheResult() {
        #expect(joined("-1-#", "--5-----") == "15 #")
        #expect(joined("-1------", "--5#") == "15 #")
    }

    @Test(arguments: [false, true]) func groupJoinSequenceFailsFailsTheOpenSequences(isLeft: Bool) {
        let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
        let log = Log()
        let subscription = left.groupJoin(
            right, leftDuration: { _ in Observable<Int>.never() }, rightDuration: { _ in Observable<Int>.never() },
            resultSelector: { ($0, $1) }
        )
        .subscribe(
            onNext: { number, rights in _ = rights.subscribe(onError: { log("\(number) fails: \($0)") }) },
            onError: { log("the result fails: \($0)") })
        left.onNext(1)
        left.onNext(2)
        (isLeft ? left : right).onError(TestError.a)
        subscription.dispose()
        #expect(log.entries == ["1 fails: a", "2 fails: a", "the result fails: a"])
    }

    @Test func groupJoinClosureThrowsEndsTheResult() {
        let left = Observable.of(1).concat(Observable.never()), right = PublishSubject<Int>()
        let log = Log()
        let subscription = left.groupJoin(
            right, leftDuration: { _ in Observable<Int>.never() },
            rightDuration: { _ -> Observable<Int> in throw TestError.b }, resultSelector: { $1.map { $0 } }
        )
        .merge().subscribe(onNext: { log($0) }, onError: { log($0) })
        right.onNext(5)
        subscription.dispose()
        #expect(log.text == "5 b")
    }

    @Test func groupJoinResultEndedKeepsNoElementOfRight() {
        let (left, right) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscription = left.groupJoin(
            right.map { _ in Kept() }, leftDuration: { _ in Observable<Int>.never() },
            rightDuration: { _ in Observable<Int>.never() }, resultSelector: { $1 }
        )
        .take(1).merge().subscribe()
        left.onNext(1)
        let before = Kept.living.withLock { $0 }
        right.onNext(2)
        #expect(Kept.living.withLock { $0 } == before)
        subscription.dispose()
    }

    private final class Kept: Sendable {
        static let living = Guarded(0)

        init() { Self.living.withLock { $0 += 1 } }
        deinit { Self.living.withLock { $0 -= 1 } }
    }
}
