public import Dispatch
public import RxSwift

/// Ends the intake of new work, and waits for the work in progress, before a server stops.
///
///     let drain = Drain()
///     orders.until(drain, as: "orders")
///         .flatMap { order in charge(order).counted(by: drain, as: "charge") }
///         .subscribe(onNext: confirm)
///
///     let left = await drain.stop(within: .seconds(10), scheduler: scheduler)
///     if !left.isEmpty { logger.warning("stopped with \(left)") }  // 2 of charge
///
/// A stop completes the sources of ``RxSwift/ObservableType/until(_:as:)``. Work under
/// ``RxSwift/ObservableType/counted(by:as:)`` and ``run(as:isolation:_:)`` is only counted: it continues, and may even
/// begin after the stop.
///
/// Any thread may use a drain; no thread waits. A stop is final.
///
/// Guards: `state` has a lock, which is not held during call-outs.
public final class Drain: Sendable {
    private struct State {
        var running: [String: Int] = [:]
        var waiters: [Int: AnyObserver<Leftover>] = [:]
        var nextWaiter = 0
    }

    /// Running sources and work, counted by name.
    public struct Leftover: Equatable, Sendable, CustomStringConvertible {
        /// The counts by name. Names with a count of 0 are omitted.
        public let counts: [String: Int]

        /// Whether nothing is left.
        public var isEmpty: Bool { counts.isEmpty }
        /// The sum of the counts.
        public var total: Int { counts.values.reduce(0, +) }
        /// The counts by name, as `2 of charge, 1 of orders`; or `nothing`.
        public var description: String {
            counts.isEmpty
                ? "nothing"
                : counts.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
        }
    }

    /// The name of the drain in its events.
    public let name: String

    private let state = Locked(State())
    let stopped = BehaviorSubject(value: false)

    /// Creates a drain.
    public convenience init() {
        self.init("drain")
    }

    /// Creates a drain with a `name` for its events.
    public init(_ name: String) {
        self.name = name
        Resilience.list(self)
    }

    deinit { Resilience.unlist(self) }

    /// The sources that have not ended, and the counted work that is running, by name.
    public var running: Leftover { Leftover(counts: state.withLock { $0.running }) }

    /// Whether the drain has been stopped.
    public var isStopped: Bool { (try? stopped.value()) ?? true }

    /// Completes the sources without waiting. Only the first call has an effect.
    ///
    /// Sources complete in the order of subscription, on the calling thread. If another thread is delivering an element
    /// of a source, that thread completes the source afterwards.
    public func stop() {
        stopped.onNext(true)
    }

    /// Returns a single that calls ``stop()`` on subscription. As soon as all work has ended or `span` has passed, the
    /// single sends the counts of the work that still runs.
    ///
    /// The counts are sent on the thread that ended the last work, or on `scheduler` after the span. If nothing runs,
    /// they are sent at once. Disposing of the single ends the wait; the drain stays stopped.
    ///
    /// The span begins before the sources complete. With a span of zero, the single does not wait.
    public func stop(within span: RxTimeInterval, scheduler: any SchedulerType) -> Single<Leftover> {
        nonisolated(unsafe) let scheduler = scheduler  // schedulers are called from any thread
        return .deferred { [self] in
            let stopwatch = Stopwatch(scheduler)
            return left(within: span, scheduler).do(onSuccess: { [name] left in
                Resilience.tell(.drain, name, .drained(left: left.total, took: stopwatch.elapsed))
            })
        }
    }

    private func left(within span: RxTimeInterval, _ scheduler: any SchedulerType) -> Single<Leftover> {
        guard span.nanosecondsInInt > 0 else {
            stop()
            return .just(running)
        }
        let idle = Observable<Leftover>.deferred { [self] in
            stop()
            return whenIdle()
        }
        let late = span == .never ? Observable.never() : Observable<Int>.timer(span, scheduler: scheduler)
        // `amb` subscribes to `late` first, so the span begins before the sources complete.
        return late.map { [self] _ in running }.amb(idle).asSingle()
    }

    /// Completes the sources, waits until nothing runs or `span` has passed, and returns the work that is left.
    ///
    /// See ``stop(within:scheduler:)``. `isolation` is the caller's actor. If the task is cancelled, the call returns
    /// at once.
    public func stop(
        within span: RxTimeInterval, scheduler: any SchedulerType, isolation: isolated (any Actor)? = #isolation
    ) async -> Leftover {
        let left: Single<Leftover> = stop(within: span, scheduler: scheduler)
        return (try? await left.value) ?? running
    }

    /// Runs asynchronous `work` on the caller's actor (`isolation`), and counts it under `name` while it runs. The work
    /// runs even after the stop.
    public func run<Value>(
        as name: String, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async rethrows -> Value {
        let place = begin(name)
        defer { place.dispose() }
        return try await work()
    }

    func begin(_ name: String) -> CountedPlace {
        countIn(name)
        return CountedPlace(leave: Disposables.create { [self] in countOut(name) })
    }

    /// Makes no call-out, so the caller may hold a lock.
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

extension Drain: Observed {
    func describe(in snapshot: inout Resilience.Snapshot) {
        snapshot.drains.append(Resilience.DrainState(name: name, isStopped: isStopped, running: running))
    }
}

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
    /// Completes this sequence when `drain` is stopped. The drain counts each subscription until its end, under `name`.
    ///
    ///     source:       --1--2--3--4--|
    ///     stop:         ------|
    ///     until(drain): --1--2|
    ///
    /// ![Completes when the drain is stopped](marble-until-drain)
    ///
    /// The stop disposes of the source. The completion is sent on the stopping thread. If another thread is delivering
    /// an element, that thread sends the completion afterwards. After the completion, the count decreases. If the drain
    /// is already stopped, the sequence completes without subscribing to the source. Elements queued by a downstream
    /// operator are not counted: see ``counted(by:as:)``.
    ///
    /// Pausing: the source pauses with the downstream chain.
    public func until(_ drain: Drain, as name: String = "sources") -> Observable<Element> {
        let source = asObservable()
        return .using({ drain.begin(name) }) { _ in
            drain.isStopped ? .empty() : source.take(until: drain.stopped.filter { $0 })
        }
    }

    /// Counts each subscription to this sequence under `name`, as work that `drain` waits for.
    ///
    ///     messages.until(drain).flatMap { handle($0).counted(by: drain) }
    ///
    /// The count decreases on the thread that tears the subscription down, after its end or a disposal.
    ///
    /// Pausing: the source pauses with the downstream chain.
    public func counted(by drain: Drain, as name: String = "work") -> Observable<Element> {
        let source = asObservable()
        return .using({ drain.begin(name) }) { _ in source }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Completes this maybe when a drain is stopped. The drain counts each subscription until its end.
    ///
    /// See ``RxSwift/ObservableType/until(_:as:)``.
    public func until(_ drain: Drain, as name: String = "sources") -> Maybe<Element> {
        Maybe(raw: primitiveSequence.asObservable().until(drain, as: name))
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Completes this completable when a drain is stopped. The drain counts each subscription until its end.
    ///
    /// See ``RxSwift/ObservableType/until(_:as:)``.
    public func until(_ drain: Drain, as name: String = "sources") -> Completable {
        Completable(raw: primitiveSequence.asObservable().until(drain, as: name))
    }
}

extension PrimitiveSequence {
    /// Counts each subscription to this sequence as work that a drain waits for.
    ///
    /// See ``RxSwift/ObservableType/counted(by:as:)``.
    public func counted(by drain: Drain, as name: String = "work") -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: asObservable().counted(by: drain, as: name))
    }
}
