import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import NIOPosix
import RxNIO
import Testing

@Suite struct FutureTests {
    private let loop = EmbeddedEventLoop()

    // MARK: From a future

    @Test func futureResultIsSentToEachSubscriber() {
        let promise = loop.makePromise(of: Int.self)
        let single = promise.futureResult.asSingle()
        let log = Log<String>()
        _ = single.subscribe(onSuccess: { log.add("early \($0)") })
        promise.succeed(1)
        _ = single.subscribe(onSuccess: { log.add("late \($0)") })
        _ = promise.futureResult.asObservable().subscribe { log.add("\($0)") }
        #expect(log.all == ["early 1", "late 1", "next(1)", "completed"])
    }

    @Test func futureErrorFailsSingleAndCompletable() {
        let (failed, done) = (loop.makePromise(of: Void.self), loop.makePromise(of: Void.self))
        let log = Log<String>()
        _ = failed.futureResult.asSingle().subscribe(onFailure: { log.add("single \($0)") })
        _ = failed.futureResult.asCompletable().subscribe(onError: { log.add("completable \($0)") })
        _ = done.futureResult.asCompletable().subscribe(onCompleted: { log.add("completed") })
        failed.fail(Oops())
        done.succeed()
        #expect(log.all == ["single Oops()", "completable Oops()", "completed"])
    }

    @Test func disposedObserverIsReleasedBeforeFutureEnds() {
        let promise = loop.makePromise(of: Int.self)
        let log = Log<String>()
        do {
            let witness = Witness { log.add("freed") }
            promise.futureResult.asSingle()
                .subscribe(onSuccess: { _ in withExtendedLifetime(witness) { log.add("success") } })
                .dispose()
        }
        #expect(log.all == ["freed"])
        promise.succeed(1)
        #expect(log.all == ["freed"])
    }

    @Test func futureResultIsDeliveredOnItsLoop() async throws {
        try await withLoops { group in
            let loop = group.next()
            let (isOnLoop, done) = (Log<Bool>(), Awaited())
            _ = loop.makeSucceededFuture(1).asSingle().subscribe(onSuccess: { _ in
                isOnLoop.add(loop.inEventLoop)
                done.come()
            })
            await done.wait()
            #expect(isOnLoop.all == [true])
        }
    }

    @Test func loopShutDownFailsSubscription() async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let future = group.next().makeSucceededFuture(1)
        try await group.shutdownGracefully()
        let log = Log<String>()
        _ = future.asSingle().subscribe(onSuccess: { log.add("\($0)") }, onFailure: { log.add(name($0)) })
        #expect(log.all == ["shutdown"])
    }

    // MARK: To a future

    @Test func singleResultCompletesFuture() async throws {
        try await withLoops { group in
            let loop = group.next()
            #expect(try await Single.just(1).get(on: loop).get() == 1)
            #expect(try await Maybe.just(1).get(on: loop).get() == 1)
            #expect(try await Maybe<Int>.empty().get(on: loop).get() == nil)
            try await Completable.empty().get(on: loop).get()
            await #expect(throws: Oops()) { try await Single<Int>.error(Oops()).get(on: loop).get() }
            await #expect(throws: Oops()) { try await Maybe<Int>.error(Oops()).get(on: loop).get() }
            await #expect(throws: Oops()) { try await Completable.error(Oops()).get(on: loop).get() }
        }
    }

    @Test func futureCallbacksRunOnItsLoop() async throws {
        try await withLoops(2) { group in
            let (here, there) = (group.next(), group.next())
            let isOnLoop = try await Single.just(1).observe(on: EventLoopScheduler(there)).get(on: here)
                .map { _ in here.inEventLoop }.get()
            #expect(isOnLoop)
        }
    }

    @Test func disposedBagFailsFuture() {
        let log = Log<String>()
        var bag: DisposeBag? = DisposeBag()
        let source = PublishSubject<Int>()
        let futures = [
            source.take(1).asSingle().get(on: loop, disposedBy: bag).map { _ in },
            source.take(1).asMaybe().get(on: loop, disposedBy: bag).map { _ in },
            source.ignoreElements().asCompletable().get(on: loop, disposedBy: bag),
        ]
        for future in futures { future.whenComplete { log.add("\($0)") } }
        #expect(log.all.isEmpty && source.hasObservers)
        bag = nil
        #expect(log.all == Array(repeating: "failure(Swift.CancellationError())", count: 3))
        #expect(!source.hasObservers)
    }

    /// A promise that is completed on its event loop calls the future's callbacks at once.
    @Test func futureCallbackMayDisposeBag() {
        let bag = NIOLockedValueBox<DisposeBag?>(DisposeBag())
        let (subject, log) = (PublishSubject<Int>(), Log<String>())
        subject.take(1).asSingle().get(on: loop, disposedBy: bag.withLockedValue { $0 }).whenComplete { result in
            _ = bag.withLockedValue { $0.take() }
            log.add("\(result)")
        }
        subject.onNext(1)
        #expect(log.all == ["success(1)"])
    }

    @Test func releasedSourceFailsFuture() {
        let log = Log<String>()
        nonisolated(unsafe) var observer: ((SingleEvent<Int>) -> Void)?
        let single = Single<Int>.create {
            observer = $0
            return Disposables.create()
        }
        single.get(on: loop).whenComplete { log.add("\($0)") }
        #expect(observer != nil && log.all.isEmpty)
        observer = nil
        #expect(log.all == ["failure(Swift.CancellationError())"])
    }

    @Test func resultAndDisposalRaceCompletesPromiseOnce() async throws {
        try await withLoops(2) { group in
            let (loop, other) = (group.next(), group.next())
            let outcomes = NIOLockedValueBox((values: 0, cancellations: 0))
            for _ in 0..<500 {
                let bag = NIOLockedValueBox<DisposeBag?>(DisposeBag())
                let source = PublishSubject<Int>()
                let future = source.take(1).asSingle().get(on: loop, disposedBy: bag.withLockedValue { $0 })
                other.execute { source.onNext(1) }
                let last = bag.withLockedValue { $0.take() }
                withExtendedLifetime(last) {}
                do {
                    _ = try await future.get()
                    outcomes.withLockedValue { $0.values += 1 }
                } catch is CancellationError {
                    outcomes.withLockedValue { $0.cancellations += 1 }
                }
            }
            #expect(outcomes.withLockedValue { $0.values + $0.cancellations } == 500)
        }
    }
}
