import RxTest
import TestSupport
import Testing

@testable import RxSwift

struct CoordinatorTests {
    private let log = Log()

    @Test func mergeDisposesSourcesInOrderBeforeOnDisposed() {
        let sources = ["a", "b", "c"].map { PublishSubject<Int>().noteLifetime(in: log, as: $0) }
        Observable.merge(sources).subscribe(onDisposed: { [log] in log("told") }).dispose()
        #expect(log.text == "a+ b+ c+ a- b- c- told")
    }

    @Test func aSourceThatEndsIsDisposedAtOnce() {
        let subject = PublishSubject<Int>()
        let subscription = Observable.merge(subject.noteLifetime(in: log, as: "a"), .never()).subscribe()
        subject.onCompleted()
        #expect(log.text == "a+ a-")
        subscription.dispose()
    }

    @Test func waitingElementOfDisposedSourceIsDropped() {
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscription = SerialDisposable()
        subscription.disposable = Observable.merge(first, second).subscribe(onNext: { [log] in
            log($0)
            _ = try? runOnThread { second.onNext(2) }
            subscription.dispose()
        })
        first.onNext(1)
        #expect(log.text == "1")
    }

    /// When the second source sends an element, disposes of that source, as `skip(until:)` does.
    private final class EndsOther<Output, Other>: Coordinator, SourceCoordinator, OtherCoordinator {
        func ended(_ error: (any Error)?, _: InnerLifetime) { end(error) }

        func next(other _: Other, _ other: InnerLifetime) { innerChains.dispose(other) }
    }

    @Test func waitingErrorOfReleasedSourceIsDropped() {
        let (source, other) = (PublishSubject<Int>(), PublishSubject<Int>())
        let sequence = Observable<Int> { _, assembly in
            EndsOther<Int, Int>(&assembly).subscribe(source.asObservable(), other.asObservable())
            return nil
        }
        let subscription = sequence.subscribe(
            onNext: { [log] element in
                log(element)
                guard element == 1 else { return }
                _ = try? runOnThread {
                    other.onNext(0)
                    other.onError(TestError.a)
                }
            }, onError: { [log] in log($0) })
        source.onNext(1)
        source.onNext(2)
        #expect(log.text == "1 2")
        subscription.dispose()
    }

    @Test func anErrorThatWaitsFollowsTheElement() {
        let (first, second) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscription = Observable.merge(first, second).subscribe(
            onNext: { [log] in
                log("s\($0)")
                _ = try? runOnThread { second.onError(TestError.a) }
                log("e\($0)")
            }, onError: { [log] in log($0) })
        first.onNext(1)
        first.onNext(2)
        #expect(log.text == "s1 e1 a")
        subscription.dispose()
    }

    @Test func elementsThatWaitWithTheEndBehindThemAreNotLost() {
        let joins: [(Observable<Observable<Int>>) -> Observable<Int>] = [
            { $0.flatMap { $0 } }, { $0.concatMap { $0 } }, { $0.merge() }, { $0.merge(maxConcurrent: 2) },
            { $0.switchLatest() },
        ]
        for join in joins {
            let (outer, inner, log) = (PublishSubject<Observable<Int>>(), PublishSubject<Int>(), Log())
            _ = join(outer).subscribe(
                onNext: { element in
                    log(element)
                    guard element == 1 else { return }
                    try? runOnThread {
                        outer.onNext(.just(2))
                        outer.onCompleted()
                        inner.onCompleted()
                    }
                }, onCompleted: { log("completed") })
            outer.onNext(inner)
            inner.onNext(1)
            #expect(log.text == "1 2 completed")
        }
    }

    @Test func elementsThatWaitForATickWithTheEndBehindThemAreNotLost() {
        let (source, scheduler) = (PublishSubject<Int>(), TestScheduler(initialClock: 0))
        _ = source.buffer(timeSpan: .seconds(10), count: 9, scheduler: scheduler).subscribe(
            onNext: { [log] elements in
                log(elements)
                guard elements == [1] else { return }
                try? runOnThread {
                    source.onNext(2)
                    source.onCompleted()
                }
            }, onCompleted: { [log] in log("completed") })
        source.onNext(1)
        scheduler.advanceTo(10)
        #expect(log.text == "[1] [2] completed")
    }

    @Test func mergeFreesDownstreamOnDisposal() {
        let (tracker, subject) = (LifetimeTracker(), PublishSubject<Int>())
        var held: LifetimeTracker.Tracked? = tracker.make()
        let subscription = Observable.merge(subject, .never()).subscribe(onNext: { [held] _ in _ = held })
        held = nil
        #expect(tracker.live == 1)
        subscription.dispose()
        withExtendedLifetime(subscription) { #expect(tracker.live == 0) }
    }

    @Test func threadsThatSendAndDisposeLeaveNothing() throws {
        let tracker = LifetimeTracker()
        for _ in 0..<300 {
            let subjects = (0..<2).map { _ in PublishSubject<LifetimeTracker.Tracked>() }
            let subscription = Observable.merge(subjects[0], subjects[1]).subscribe()
            try runConcurrently(threads: 3) { index in
                if index == 2 { return subscription.dispose() }
                for number in 0..<50 { subjects[index].onNext(tracker.make(number)) }
                subjects[index].onCompleted()
            }
        }
        #expect(tracker.live == 0)
    }

    @Test func elementAfterSourceEndIsDropped() {
        let fired = ReplaySubject<Int>.create(bufferSize: 1)
        fired.onNext(0)
        let joins: [(Observable<Observable<Int>>) -> Observable<Int>] = [
            { $0.flatMap { $0 } }, { $0.concatMap { $0 } }, { $0.merge() }, { $0.merge(maxConcurrent: 2) },
            { $0.switchLatest() },
        ]
        for join in joins {
            #expect(seen(join(Observable.of(1, 2).map { Observable.just($0).take(until: fired) })) == "completed")
            #expect(seen(join(Observable.of(1).map { Observable.just($0).startWith(0).take(1) })) == "0 completed")
        }
    }

    @Test func elementReturnedDuringSourceEndIsDropped() {
        let source = PublishSubject<Int>()
        let ending = source.map { element in
            source.onCompleted()
            return element
        }
        let subscription = Observable.merge(ending, .never()).note(in: log)
        source.onNext(1)
        #expect(log.text == "")
        subscription.dispose()
    }

    @Test func samplerElementAfterEndIsDropped() {
        let sampled = Observable<Int>.error(TestError.a).sample(Observable.just(0), defaultValue: 5).materialize().map {
            "\($0)"
        }
        #expect(seen(Observable.of(1).flatMap { _ in sampled }) == "error(a) completed")
    }

    @Test func flatMapLatest_elementWhileSelectorRuns_isDelivered() {
        let (outer, first, log) = (PublishSubject<Int>(), PublishSubject<Int>(), log)
        let subscription = outer.flatMapLatest { number in
            if number == 1 { _ = try? runOnThread { first.onNext(7) } }
            return number == 0 ? first.asObservable() : Observable<Int>.never()
        }.note(in: log)
        outer.onNext(0)
        outer.onNext(1)
        #expect(log.text == "7")
        subscription.dispose()
    }

    @Test func anErrorThatWaitsWhileItsSourceIsDisposedIsDropped() {
        let (trigger, log) = (PublishSubject<Int>(), log)
        let source = PublishSubject<Int>()
        let told = source.do(onDispose: { _ = try? runOnThread { trigger.onError(TestError.a) } })
        let subscription = told.skip(until: trigger).note(in: log)
        source.onCompleted()
        #expect(log.text == "")
        subscription.dispose()
    }

    /// Only the pending teardown keeps the chain alive.
    @Test func coordinationTeardownIsKeptUntilDisposal() {
        weak var chain: ChainLifetime?
        do {
            let source = PublishSubject<Int>()
            let coordinated = Observable<Int>.coordinated { [log] result in
                _ = result.subscribe(source.asObservable()) { _ in }
                return Disposables.create { log("torn") }
            }
            chain = coordinated.subscribe(onNext: { _ in }) as? ChainLifetime
        }
        #expect(chain != nil && log.text == "")
        chain?.dispose()
        #expect(log.text == "torn")
    }
}
