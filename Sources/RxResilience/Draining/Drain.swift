public import Dispatch
public import RxSwift

/// Ends intake, and waits for the work that is under way: what a server does before it goes.
///
///     let drain = Drain()
///     orders.until(drain, as: "orders")
///         .flatMap { order in charge(order).counted(by: drain, as: "charge") }
///         .subscribe(onNext: confirm)
///
///     let left = await drain.stop(within: .seconds(10), scheduler: scheduler)
///     if !left.isEmpty { logger.warning("stopped with \(left)") }  // 2 of charge
///
/// ``RxSwift/ObservableType/until(_:as:)`` completes a source when the drain is stopped.
/// ``RxSwift/ObservableType/counted(by:as:)`` and ``run(as:isolation:_:)`` count work that may finish, and such as it
/// still begins.
///
/// Any thread may use it; no thread waits. There is no way back: a drain that is stopped stays so.
///
/// Guards: `state` has a lock of its own, which is not held while anybody is told anything; `stopped` guards itself.
public final class Drain: Sendable {
    private struct State {
        var running: [String: Int] = [:]
        /// Those that wait for nothing to run.
        var waiters: [Int: AnyObserver<Leftover>] = [:]
        var nextWaiter = 0
    }

    /// What was still running, by name.
    public struct Leftover: Equatable, Sendable, CustomStringConvertible {
        /// How much of each name; those of which there is none are left out.
        public let counts: [String: Int]

        /// Whether nothing is left.
        public var isEmpty: Bool { counts.isEmpty }
        /// How much is left in all.
        public var total: Int { counts.values.reduce(0, +) }
        /// By name: `2 of charge, 1 of orders`; `nothing`.
        public var description: String {
            counts.isEmpty
                ? "nothing"
                : counts.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
        }
    }

    private let state = Locked(State())
    /// Sends once, and again to who comes later.
    let stopped = BehaviorSubject(value: false)

    /// Makes a drain that nothing runs under.
    public init() {}

    /// What is running now: sources that have not ended, and work that is counted.
    public var running: Leftover { Leftover(counts: state.withLock { $0.running }) }

    /// Whether it has been stopped.
    public var isStopped: Bool { (try? stopped.value()) ?? true }

    /// Ends the intake, and waits for nothing. All but the first call do nothing.
    ///
    /// The sources complete on the calling thread, in the order in which they were subscribed to; one that another
    /// thread is delivering from completes there.
    public func stop() {
        stopped.onNext(true)
    }

    /// Ends the intake when it is subscribed to, and tells what is left when nothing runs any more or a span has
    /// passed.
    ///
    /// The answer is empty where all ended in time: it comes on the thread that ended the last of it, or at once. It
    /// comes on `scheduler` otherwise; what is left then runs on, and is the caller's to dispose of. Disposing of the
    /// single ends the wait, not the stop. Each subscription waits on its own.
    ///
    /// The span begins before the intake is ended, so that a source's end that takes its time does not hold the answer
    /// up. With a span of nothing there is no wait: the answer comes at once, behind the ends of the sources.
    ///
    /// - Parameters:
    ///   - span: how long to wait at most.
    ///   - scheduler: what measures the time.
    public func stop(within span: RxTimeInterval, scheduler: any SchedulerType) -> Single<Leftover> {
        guard span.nanosecondsInInt > 0 else {
            return .deferred { [self] in
                stop()
                return .just(running)
            }
        }
        let idle = Observable<Leftover>.deferred { [self] in
            stop()
            return whenIdle()
        }
        let late = span == .never ? Observable.never() : Observable<Int>.timer(span, scheduler: scheduler)
        // The timer first: what ends at once calls it off.
        return late.map { [self] _ in running }.amb(idle).asSingle()
    }

    /// Ends the intake, waits until nothing runs any more or a span has passed, and returns what is left.
    ///
    /// What is left runs on. Where the task is cancelled it returns at once. No thread waits.
    ///
    /// - Parameters:
    ///   - span: how long to wait at most.
    ///   - scheduler: what measures the time.
    ///   - isolation: the caller's actor, which nobody needs to name.
    /// - Returns: what is left; nothing where all ended in time.
    public func stop(
        within span: RxTimeInterval, scheduler: any SchedulerType, isolation: isolated (any Actor)? = #isolation
    ) async -> Leftover {
        let left: Single<Leftover> = stop(within: span, scheduler: scheduler)
        return (try? await left.value) ?? running
    }

    /// Counts asynchronous work while it runs.
    ///
    /// - Parameters:
    ///   - name: what it is counted as.
    ///   - isolation: the caller's actor, which nobody needs to name.
    ///   - work: the work. It runs also where the drain has been stopped.
    /// - Returns: what the work returns.
    /// - Throws: what the work throws.
    public func run<Value>(
        as name: String, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        let place = begin(name)
        defer { place.dispose() }
        return try await work()
    }

    /// Counts something in; disposing of what it returns counts it out, once.
    func begin(_ name: String) -> CountedPlace {
        countIn(name)
        return CountedPlace(leave: Disposables.create { [self] in countOut(name) })
    }

    /// Counts something in, which ``countOut(_:)`` counts out. It makes no call-out: it may be called under a lock.
    func countIn(_ name: String) {
        state.withLock { $0.running[name, default: 0] += 1 }
    }

    func countOut(_ name: String) {
        let waiters = state.withLock { state in
            let left = state.running[name, default: 0] - 1
            state.running[name] = left > 0 ? left : nil
            return state.running.isEmpty ? exchange(&state.waiters, with: [:]) : [:]
        }
        for (_, waiter) in waiters.sorted(by: { $0.key < $1.key }) { waiter.tellIdle() }
    }

    private func whenIdle() -> Observable<Leftover> {
        .create { [self] observer in
            let place: Int? = state.withLock { state in
                guard !state.running.isEmpty else { return nil }
                state.nextWaiter += 1
                state.waiters[state.nextWaiter] = observer
                return state.nextWaiter
            }
            guard let place else {
                observer.tellIdle()
                return Disposables.create()
            }
            return Disposables.create { [self] in
                withExtendedLifetime(state.withLock { $0.waiters.removeValue(forKey: place) }) {}
            }
        }
    }
}

/// Something that a drain counts.
struct CountedPlace: Disposable {
    let leave: any Disposable

    func dispose() {
        leave.dispose()
    }
}

extension AnyObserver<Drain.Leftover> {
    fileprivate func tellIdle() {
        onNext(Drain.Leftover(counts: [:]))
        onCompleted()
    }
}

extension ObservableType {
    /// Completes this sequence when a drain is stopped, and is counted by it until then.
    ///
    ///     source:       --1--2--3--4--|
    ///     stop:         ------|
    ///     until(drain): --1--2|
    ///
    /// ![Completes when the drain is stopped](marble-until-drain)
    ///
    ///     messages.until(drain).flatMap { handle($0).counted(by: drain) }
    ///
    /// It is disposed of then; where the drain has been stopped before, it is not subscribed to. The completion comes
    /// on the thread that stops the drain, after the delivery under way: an element that was on its way has been taken
    /// before the count goes down. What the observer has only queued is not counted: see ``counted(by:as:)``.
    ///
    /// Pausing: the source pauses with what is below.
    ///
    /// - Parameters:
    ///   - drain: what ends it.
    ///   - name: what it is counted as.
    public func until(_ drain: Drain, as name: String = "sources") -> Observable<Element> {
        let source = asObservable()
        return .using({ drain.begin(name) }) { _ in
            drain.isStopped ? .empty() : source.take(until: drain.stopped.filter { $0 })
        }
    }

    /// Counts each subscription to this sequence, until it ends or is disposed of, as work that a drain waits for.
    ///
    ///     messages.until(drain).flatMap { handle($0).counted(by: drain) }
    ///
    /// The count goes down when the subscription is torn down, by its end or from outside, on that thread; an operator
    /// such as `flatMap` does so before it passes on what the end means to it. Events pass unchanged.
    ///
    /// Pausing: the source pauses with what is below.
    ///
    /// - Parameters:
    ///   - drain: what waits for it.
    ///   - name: what it is counted as.
    public func counted(by drain: Drain, as name: String = "work") -> Observable<Element> {
        let source = asObservable()
        return .using({ drain.begin(name) }) { _ in source }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Completes this maybe when a drain is stopped, and is counted by it until then.
    ///
    /// As ``RxSwift/ObservableType/until(_:as:)``.
    ///
    /// - Parameters:
    ///   - drain: what ends it.
    ///   - name: what it is counted as.
    public func until(_ drain: Drain, as name: String = "sources") -> Maybe<Element> {
        Maybe(raw: primitiveSequence.asObservable().until(drain, as: name))
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Completes this completable when a drain is stopped, and is counted by it until then.
    ///
    /// As ``RxSwift/ObservableType/until(_:as:)``.
    ///
    /// - Parameters:
    ///   - drain: what ends it.
    ///   - name: what it is counted as.
    public func until(_ drain: Drain, as name: String = "sources") -> Completable {
        Completable(raw: primitiveSequence.asObservable().until(drain, as: name))
    }
}

extension PrimitiveSequence {
    /// Counts each subscription to this sequence, until it ends or is disposed of, as work that a drain waits for.
    ///
    /// As ``RxSwift/ObservableType/counted(by:as:)``.
    ///
    /// - Parameters:
    ///   - drain: what waits for it.
    ///   - name: what it is counted as.
    public func counted(by drain: Drain, as name: String = "work") -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: asObservable().counted(by: drain, as: name))
    }
}
