import RxSwift

extension ObservableType {
    /// Distributes the elements among several rails. Closures of different rails run at the same time.
    ///
    ///     let pool = PthreadPoolScheduler(name: "hash", maxThreads: 4)
    ///     files.parallel(4).runOn(pool)
    ///         .map { try hash($0) }
    ///         .filter { known.contains($0) }
    ///         .sequential()
    ///         .subscribe(onNext: report)
    ///
    /// See ``ParallelRails``.
    ///
    /// - Parameter rails: the number of rails; less than 1 stops the process.
    @inlinable
    public __consuming func parallel(_ rails: Int) -> ParallelSource<Element> {
        if rails < 1 { rxFatalError("rails must be at least 1", operator: "parallel", argument: "rails", value: rails) }
        return ParallelSource(source: asObservable(), rails: rails)
    }
}

/// A sequence to distribute among rails. ``runOn(_:bound:)`` selects their scheduler.
public struct ParallelSource<Element>: Sendable {
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let rails: Int

    @inlinable
    init(source: Observable<Element>, rails: Int) {
        self.source = source
        self.rails = rails
    }

    /// Runs the rails on a scheduler.
    ///
    /// - Parameters:
    ///   - scheduler: runs the closures of all rails. They run at the same time if the scheduler has a thread for each
    ///     rail, as a `PthreadPoolScheduler` or a `ConcurrentDispatchQueueScheduler` does.
    ///   - bound: the number of elements that may wait in the queue of one rail; less than 1 stops the process.
    @inlinable
    public func runOn(_ scheduler: any ImmediateSchedulerType, bound: Int = 256) -> ParallelRails<Element, Element> {
        if bound < 1 { rxFatalError("bound must be at least 1", operator: "runOn", argument: "bound", value: bound) }
        return ParallelRails(source: source, rails: rails, scheduler: scheduler, bound: bound) {
            $0.mapUnchecked { $0 }
        }
    }
}

/// The rails of a chain. Each rail has a queue, and runs its closures on a scheduler.
///
/// Each subscription to the result of ``sequential()`` or ``ordered()`` has its own rails. A rail handles its elements
/// in order, one at a time.
///
/// Errors: if a closure throws, the sequence fails with that error. Each rail receives an error of the source after the
/// elements in its queue.
///
/// Disposal: releases the elements in the queues. Running closures may finish; no further closure begins.
///
/// Pausing: the source pauses while the queues are full, even in an unbounded subscription. It resumes on the scheduler
/// of the rails. If the source cannot pause, the sequence fails with `FlowError.overflow` instead. The rails pause with
/// the downstream chain.
// @unchecked Sendable because all properties are immutable, and any thread may use `scheduler` and call `stages`.
public struct ParallelRails<Input, Element>: @unchecked Sendable {
    @usableFromInline
    let source: Observable<Input>
    @usableFromInline
    let rails: Int
    @usableFromInline
    let scheduler: any ImmediateSchedulerType
    @usableFromInline
    let bound: Int
    /// Appends a rail's operators to the sequence that comes from its queue. Dropped elements become nil.
    @usableFromInline
    let stages: (Observable<Input>) -> Observable<Element?>

    @inlinable
    init(
        source: Observable<Input>, rails: Int, scheduler: any ImmediateSchedulerType, bound: Int,
        _ stages: @escaping (Observable<Input>) -> Observable<Element?>
    ) {
        self.source = source
        self.rails = rails
        self.scheduler = scheduler
        self.bound = bound
        self.stages = stages
    }

    @inlinable
    func then<Result>(_ next: @escaping (Element) throws -> Result?) -> ParallelRails<Input, Result> {
        ParallelRails<Input, Result>(source: source, rails: rails, scheduler: scheduler, bound: bound) {
            [stages] in stages($0).mapUnchecked { try $0.flatMap(next) }
        }
    }

    /// Transforms each element, on the rails.
    ///
    /// - Parameter transform: called by several threads at once.
    @inlinable
    @preconcurrency
    public func map<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result
    ) -> ParallelRails<Input, Result> {
        then { .some(try transform($0)) }
    }

    /// Drops the elements for which `predicate` is false, on the rails.
    ///
    /// - Parameter predicate: called by several threads at once.
    @inlinable
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> ParallelRails<Input, Element> {
        then { try predicate($0) ? $0 : nil }
    }

    /// Transforms each element, and drops the nil results, on the rails.
    ///
    /// - Parameter transform: called by several threads at once.
    @inlinable
    @preconcurrency
    public func compactMap<Result>(
        _ transform: @escaping @Sendable (Element) throws -> Result?
    ) -> ParallelRails<Input, Result> {
        then { try transform($0) }
    }

    /// The results of all rails, in the order of arrival.
    ///
    ///     source:                                                --1--2--3--|
    ///     parallel(2).runOn(queue).map { $0 * 10 }.sequential(): ---10-20-30-|   on the queue, 1 column later
    ///
    /// ![The results, a little later on the rails](marble-parallel-sequential)
    ///
    /// An element goes to the next rail whose queue has room. The source pauses while all queues are full. Results are
    /// delivered one at a time, on the threads of the rails. The sequence fails with the first error of a rail, and
    /// drops undelivered elements and results.
    @inlinable
    public func sequential() -> Observable<Element> {
        source.split(into: rails, on: scheduler, bound: bound, inTurn: false) { [stages] rails in
            .merge(rails.map { stages($0).compactMapUnchecked { $0 } })
        }
    }

    /// The results of all rails, in the order of the source.
    ///
    ///     source:                                                --1--2--3--|
    ///     parallel(2).runOn(queue).filter { $0 != 2 }.ordered(): ---1-----3--|   on the queue, 1 column later
    ///
    /// ![The results in the order of the source](marble-parallel-ordered)
    ///
    /// Element `n` goes to rail `n % rails`. The source pauses while any queue is full. This also limits the number of
    /// waiting results. Results are delivered one at a time, on the threads of the rails.
    @inlinable
    public func ordered() -> Observable<Element> {
        source.split(into: rails, on: scheduler, bound: bound, inTurn: true) { [stages] rails in
            Observable.inTurn(rails.map(stages))
        }
    }
}

extension Observable {
    /// Sends one element of each source in turn, and drops nil. Ends when the next source in turn has ended.
    @inlinable
    static func inTurn(_ sources: [Observable<Element?>]) -> Observable<Element> {
        .coordinated { result in
            let turns = Turns(result, sources.count)
            result.onResume { [weak turns] in turns?.deliverWaiting() }
            for (number, source) in sources.enumerated() {
                result.subscribe(source) { turns.take($0, number) }
            }
            return Disposables.create()
        }
    }
}

/// Guards: only the thread that owns the gate of `result` uses the state. Deliveries may call back into this object.
@usableFromInline
final class Turns<Element> {
    @usableFromInline
    final class Waiting {
        @usableFromInline
        var events = Ring<Event<Element?>>()

        @inlinable
        init() {}
    }

    @usableFromInline
    let result: Coordination<Element>
    @usableFromInline
    let sources: [Waiting]
    /// The index of the next source.
    @usableFromInline
    var turn = 0
    /// Whether a delivery is in progress. Events that the observer causes during the delivery are queued.
    @usableFromInline
    var isDelivering = false

    @inlinable
    init(_ result: Coordination<Element>, _ count: Int) {
        self.result = result
        sources = (0..<count).map { _ in Waiting() }
    }

    @inlinable
    func take(_ event: Event<Element?>, _ number: Int) {
        guard number == turn, !isDelivering, sources[number].events.isEmpty else {
            return sources[number].events.append(event)
        }
        isDelivering = true
        deliver(event)
        isDelivering = false
        if !sources[turn].events.isEmpty { deliverWaiting() }
    }

    @inlinable
    func deliverWaiting() {
        if isDelivering { return }
        isDelivering = true
        while result.isLive, !sources[turn].events.isEmpty, !result.keepsForResume(self) {
            deliver(sources[turn].events.removeFirst())
        }
        isDelivering = false
    }

    @inlinable
    func deliver(_ event: Event<Element?>) {
        switch event {
        case .next(let element):
            turn = turn + 1 == sources.count ? 0 : turn + 1
            if let element { result.send(.next(element)) }
        case .error(let error): result.send(.error(error))
        case .completed: result.send(.completed)
        }
    }
}
