@testable import RxSwift
import TestSupport
import Testing

struct ResourcesTests {
    @Test func totalCountsLiveObjectsWhileTracing() async {
        await #expect(processExitsWith: .success) {
            precondition(Resources.total == 0)
            Resources.isTracing = true
            var held: [any Disposable] = [
                Disposables.create {}, CompositeDisposable(), SerialDisposable(), SingleAssignmentDisposable(),
                RefCountDisposable(disposable: Disposables.create()),
            ]
            precondition(Resources.total == 5)
            held = []
            precondition(held.isEmpty && Resources.total == 0)
        }
    }

    @Test func countsNothingByDefault() async {
        await #expect(processExitsWith: .success) {
            let held = Disposables.create {}
            withExtendedLifetime(held) { precondition(!Resources.isTracing && Resources.total == 0) }
        }
    }

    @Test func countsNoChainWhileItDoesNotTrace() async {
        await #expect(processExitsWith: .success) {
            let subject = PublishSubject<Int>()
            var chain: (any Disposable)? = subject.map { $0 }.subscribe(onNext: { _ in })
            chain?.dispose()
            chain = nil
            precondition(chain == nil && Resources.total == 0)
        }
    }

    @Test func totalIgnoresChainsWhileNotTracing() async {
        await #expect(processExitsWith: .success) {
            let subject = PublishSubject<Int>()
            var chain: (any Disposable)? = subject.map { $0 }.subscribe(onNext: { _ in }, onDisposed: {})
            chain?.dispose()
            chain = nil
            precondition(chain == nil && Resources.total == 0)
        }
    }

    @Test func staysTrueWhenTracingChangesDuringALife() async {
        await #expect(processExitsWith: .success) {
            var early: (any Disposable)? = Disposables.create {}
            Resources.isTracing = true
            var late: (any Disposable)? = Disposables.create {}
            early = nil
            precondition(early == nil && Resources.total == 1)
            Resources.isTracing = false
            late = nil
            precondition(late == nil && Resources.total == 0)
        }
    }

    @Test func countsAUsersOwn() async {
        await #expect(processExitsWith: .success) {
            precondition(Resources.incrementTotal() == 0)
            Resources.isTracing = true
            precondition(
                Resources.incrementTotal() == 1 && Resources.incrementTotal() == 2 && Resources.decrementTotal() == 1)
        }
    }

    @Test func countsNothingOfAUsersOwnWhileItDoesNotTrace() async {
        await #expect(processExitsWith: .success) {
            Resources.isTracing = true
            Resources.incrementTotal()
            Resources.isTracing = false
            precondition(Resources.decrementTotal() == 1 && Resources.total == 1)
        }
    }

    @Test(.enabled(if: FastPaths.areUsed)) func aSubscriptionToOneElementIsCountedWhileItIsDelivered() async {
        await #expect(processExitsWith: .success) {
            Resources.isTracing = true
            let log = Log()
            _ = Observable.just(1)
                .subscribe(onNext: { _ in log(Resources.total) }, onDisposed: { log(Resources.total) })
            precondition(log.text == "1 1" && Resources.total == 0, log.text)
        }
    }

    @Test func isExactUnderThreads() async {
        await #expect(processExitsWith: .success) {
            Resources.isTracing = true
            try runConcurrently(threads: 4) { _ in
                for _ in 0..<10_000 { Disposables.create {}.dispose() }
            }
            precondition(Resources.total == 0)
        }
    }

    @Test func countsSequencesThatHopToASerialQueue() async {
        await #expect(processExitsWith: .success) {
            let scheduler = SerialDispatchQueueScheduler(qos: .default)
            let early = Observable.just(1).observe(on: scheduler)
            Resources.isTracing = true
            var late: [Observable<Int>] = [early.observe(on: scheduler), early.observe(on: MainScheduler.instance)]
            precondition(Resources.numberOfSerialDispatchQueueObservables == 2)
            late.append(early.observe(on: CurrentThreadScheduler.instance))
            precondition(Resources.numberOfSerialDispatchQueueObservables == 2)
            late = []
            precondition(late.isEmpty && Resources.numberOfSerialDispatchQueueObservables == 0)
        }
    }

    @Test func maxTailRecursiveSinkStackSizeRestartsOnceSet() async {
        await #expect(processExitsWith: .success) {
            maxTailRecursiveSinkStackSize = 7
            precondition(maxTailRecursiveSinkStackSize == 7)
            maxTailRecursiveSinkStackSize = 0
            _ = Observable.just(1).concat(Observable.just(2)).subscribe()
            precondition(maxTailRecursiveSinkStackSize < 7)
        }
    }

    @Test func theDepthOfConcatenationsIsTheGreatestThatWas() async {
        await #expect(processExitsWith: .success) {
            maxTailRecursiveSinkStackSize = 0
            let pair = Observable.just(1).concat(Observable.just(2))
            _ = pair.concat(Observable.just(3)).concat(pair).subscribe()
            // Only debug builds count the sinks.
            precondition([0, 4].contains(maxTailRecursiveSinkStackSize))
        }
    }

    @Test func totalCountsSubscriptionAndOnDisposedUntilFreed() async {
        await #expect(processExitsWith: .success) {
            Resources.isTracing = true
            func counted(_ subscribe: (PublishSubject<Int>) -> any Disposable) -> Int32 {
                let source = PublishSubject<Int>()
                let before = Resources.total
                let subscription = subscribe(source)
                defer { subscription.dispose() }
                return Resources.total - before
            }
            let plain = counted { $0.subscribe(onNext: { _ in }) }
            precondition(plain > 0 && Resources.total == 0, "\(plain), \(Resources.total)")
            // The `onDisposed` closure counts as one more disposable.
            let telling = counted { $0.subscribe(onDisposed: {}) }
            precondition(telling == plain + 1 && Resources.total == 0, "\(telling), \(Resources.total)")
        }
    }

    @Test func countsNoSubscriptionByDefault() async {
        await #expect(processExitsWith: .success) {
            PublishSubject<Int>().subscribe(onNext: { _ in }).dispose()
            PublishSubject<Int>().subscribe(onDisposed: {}).dispose()
            precondition(Resources.total == 0, "\(Resources.total)")
        }
    }
}
