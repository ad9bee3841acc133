import RxSwift

/// A bounded entrance to a pipeline. Elements arrive in calls, such as HTTP requests.
///
///     let orders = Intake<Order>(atMost: 1_000, name: "orders")
///
///     // the pipeline, which a drain stops
///     orders.handling(until: drain, atMost: 8) { order in charge(order) }
///         .subscribe(onNext: { result in log(result) })
///         .disposed(by: bag)
///
///     // a request
///     switch orders.offer(order) {
///     case .accepted: respond(202)
///     case .refused: respond(503)
///     }
///
/// ``offer(_:)`` accepts an element unless
/// - no pipeline is subscribed,
/// - the drain of the pipeline has been stopped, or
/// - the intake is full: at least ``limit`` accepted elements are unhandled.
///
/// Accepted elements are delivered in order. The pipeline's source completes after the last of them, so
/// ``Drain/stop(within:scheduler:)`` waits for them.
///
/// An intake has one pipeline at a time. An element is handled when its delivery by ``elements(until:)`` has returned,
/// or when its work in ``handling(until:atMost:_:)`` has ended.
///
/// - **Threads**: any thread may offer. Elements are delivered one at a time. They are delivered, and work is started,
///   on a thread that offers, subscribes, ends work, ends a pause or stops the drain.
/// - **Disposal**: if a subscription is disposed of or fails, elements whose handling has not begun wait for the next
///   subscription. Until then offers are refused. Elements of callers in ``handled(_:isolation:)`` are dropped instead,
///   and the callers get ``IntakeDropped``.
/// - **Buffering**: at most ``limit`` elements, including those whose work runs. In a bounded subscription elements
///   wait while the downstream chain is paused.
///
/// Guards: `state` has a lock. No lock is held while user code is called.
public final class Intake<Element: Sendable>: Sendable {
    /// The intake's name in errors and in ``Drain/running``.
    public let name: String

    private let state: Locked<State>
    private let clock: IntakeClock

    private enum Phase {
        /// There was no subscription, or the last one ended before its drain was stopped.
        case idle
        case running(IntakeRun<Element>)
        /// The drain was stopped, and accepted elements are being delivered.
        case stopping(IntakeRun<Element>)
        /// The subscription ended after its drain was stopped.
        case stopped
    }

    private struct State: ~Copyable {
        var phase = Phase.idle
        var limit: Int
        /// Elements whose handling has not begun.
        var waiting = Ring<IntakeEntry<Element>>()
        var unhandled = 0
        /// The callers of elements whose handling has begun.
        var replies: [UInt64: IntakeReply] = [:]
        var nextReply: UInt64 = 0

        var run: IntakeRun<Element>? {
            switch phase {
            case .running(let run), .stopping(let run): run
            case .idle, .stopped: nil
            }
        }
    }

    /// Creates an intake with the given ``limit`` and ``name``. It refuses all elements until a pipeline subscribes to
    /// it.
    ///
    /// A limit less than 1 stops the process.
    public convenience init(atMost limit: Int, name: String = "intake") {
        self.init(limit, name, .monotonic)
    }

    /// Creates an intake that measures times with the clock of a scheduler.
    ///
    /// Nothing is scheduled on `scheduler`. For `limit` and `name`, see ``init(atMost:name:)``.
    public convenience init(atMost limit: Int, name: String = "intake", scheduler: any SchedulerType) {
        self.init(limit, name, SpanClock(scheduler))
    }

    private init(_ limit: Int, _ name: String, _ clock: SpanClock) {
        Self.problem(limit)?.stop("Intake")
        self.name = name
        self.clock = IntakeClock(clock: clock)
        state = Locked(State(limit: limit))
        Resilience.list(self)
    }

    deinit { Resilience.unlist(self) }

    /// The maximum number of accepted, unhandled elements.
    public var limit: Int { state.withLock { $0.limit } }

    /// Changes the maximum number of accepted, unhandled elements.
    ///
    /// After a decrease, accepted elements are still delivered.
    ///
    /// - Throws: ``InvalidLimit`` for a limit below 1.
    public func setLimit(_ limit: Int) throws(InvalidLimit) {
        if let problem = Self.problem(limit) { throw problem.error("intake \(name)") }
        state.withLock { $0.limit = limit }
    }

    private static func problem(_ limit: Int) -> LimitProblem? {
        limit < 1 ? LimitProblem("An intake needs room for at least one element", "atMost", limit, "elements") : nil
    }

    /// The number of accepted, unhandled elements, including those whose work runs.
    public var unhandled: Int { state.withLock { $0.unhandled } }

    /// Offers an element, and returns whether it is accepted.
    ///
    ///     respond(orders.offer(order).isAccepted ? 202 : 503)
    ///
    /// An accepted element may be delivered on this thread before the call returns.
    public func offer(_ element: Element) -> IntakeAnswer {
        accept(element, reply: nil).map { .refused($0) } ?? .accepted
    }

    /// Offers an element, and returns when it has been handled.
    ///
    ///     do {
    ///         try await orders.handled(order)
    ///         respond(200)
    ///     } catch {
    ///         respond(503)
    ///     }
    ///
    /// No thread waits; `isolation` is the caller's actor. Cancelling the task ends the wait; the element stays
    /// accepted.
    ///
    /// - Throws: ``IntakeRefused`` if the element is not accepted; the error of its work; ``IntakeDropped`` if the
    ///   pipeline ends before the element is handled; `CancellationError` if the task is cancelled.
    public func handled(_ element: Element, isolation: isolated (any Actor)? = #isolation) async throws {
        let reply = IntakeReply()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<Void, any Error>) in
                guard reply.wait(waiter) else { return }
                if let refusal = accept(element, reply: reply) { reply.answer(.failure(refusal)) }
            }
        } onCancel: {
            reply.answer(.failure(CancellationError()))
        }
    }

    /// Returns the accepted elements as a sequence.
    ///
    /// The sequence completes when the drain is stopped and every accepted element has been delivered. Until then the
    /// drain counts the sequence under the name `sources`, and each undelivered element under the intake's name.
    /// Elements queued by an operator such as `observe(on:)` count as delivered.
    ///
    /// For the threads of elements, see ``Intake``. If `Hooks.captureContext` captures a context when an element is
    /// offered, the element is delivered in that context. The completion is sent on the thread that stops the drain,
    /// delivers the last element, or subscribes after the stop. If the previous subscription has not ended, the
    /// sequence fails with ``IntakeInUse``; there is no other error. To open the intake again after a stop, subscribe
    /// with a new drain.
    ///
    /// Pausing: in a bounded subscription elements wait in the intake while the downstream chain is paused, and are
    /// delivered on the thread that resumes it.
    public func elements(until drain: Drain) -> Observable<Element> {
        .using({ drain.begin("sources") }) { _ in
            .coordinated { result in DeliveringRun(self, drain, result).begin() }
        }
    }

    /// Does work for each accepted element, and sends each result.
    ///
    ///     orders.handling(until: drain, atMost: 8) { order in charge(order) }
    ///         .subscribe(onNext: { result in log(result) })
    ///
    /// A result is the value or the error of the element's work. An error ends neither the sequence nor other work.
    /// Results are sent in the order in which work ends.
    ///
    /// Work is started in the order of acceptance, under the ``Deadline`` of the caller that offered the element, and
    /// in the caller's context if one was captured. At most `most` pieces of work run at a time; a `most` less than 1
    /// stops the process. The resources of ended work are freed before the next piece starts, except those upstream of
    /// a `subscribe(on:)` and those that another thread is freeing. The single that `work` returns must start its call
    /// at the subscription, not earlier. An error that `work` throws is a result.
    ///
    /// Completion, the drain's counts and ``IntakeInUse`` are as for ``elements(until:)``, except that an element
    /// counts as delivered when its work has ended. Disposing of the result disposes of the work in progress.
    ///
    /// For the threads on which work starts, see ``Intake``. A result is sent on the thread that ends the work.
    ///
    /// Pausing: the work pauses with the result. No work is started during a pause.
    public func handling<Answer>(
        until drain: Drain, atMost most: Int = .max, _ work: @escaping @Sendable (Element) throws -> Single<Answer>
    ) -> Observable<Result<Answer, any Error>> {
        if most < 1 {
            rxFatalError(
                "Work needs room for at least one element", operator: "handling", argument: "atMost", value: most)
        }
        return .using({ drain.begin("sources") }) { _ in
            .coordinated { result in WorkingRun(self, drain, result, most, work).begin() }
        }
    }

    private func accept(_ element: Element, reply: IntakeReply?) -> IntakeRefused? {
        var entry = IntakeEntry(
            element: element, reply: reply, deadline: Deadline.current, context: ContextSource<Element>.captured())
        if Resilience.isObserved { entry.accepted = clock.clock.now }
        let (run, refusal) = state.withLock { state -> (IntakeRun<Element>?, IntakeRefused?) in
            let reason: IntakeRefused.Reason
            switch state.phase {
            case .running(let run) where state.unhandled < state.limit:
                state.waiting.append(entry)
                state.unhandled += 1
                run.drain.countIn(name)
                return (run, nil)
            case .running: reason = .full
            case .idle: reason = .notRunning
            case .stopping, .stopped: reason = .stopping
            }
            return (nil, IntakeRefused(name: name, reason: reason, unhandled: state.unhandled))
        }
        Resilience.tell(.intake, name, refusal.map { .refused($0.reason) } ?? .accepted)
        run?.wake(all: false)
        return refusal
    }

    // MARK: Called by its run

    /// If another run has not ended, returns false. Otherwise, makes `run` the current run. Its drain then also counts
    /// the elements that earlier runs have left.
    fileprivate func attach(_ run: IntakeRun<Element>) -> Bool {
        state.withLock { state in
            guard state.run == nil else { return false }
            state.phase = .running(run)
            for _ in 0..<state.unhandled { run.drain.countIn(name) }
            return true
        }
    }

    fileprivate func stop(_ run: IntakeRun<Element>) {
        state.withLock { state in
            if case .running(let current) = state.phase, current === run { state.phase = .stopping(run) }
        }
    }

    fileprivate func next(for run: IntakeRun<Element>) -> IntakeEntry<Element>? {
        state.withLock { state in
            guard state.run === run, !state.waiting.isEmpty else { return nil }
            var entry = state.waiting.removeFirst()
            if let reply = entry.reply {
                state.nextReply += 1
                entry.number = state.nextReply
                state.replies[entry.number] = reply
            }
            return entry
        }
    }

    fileprivate var waiting: Int { state.withLock { $0.waiting.count } }

    fileprivate func isExhausted(for run: IntakeRun<Element>) -> Bool {
        state.withLock { state in
            guard case .stopping(let current) = state.phase, current === run else { return false }
            return state.waiting.isEmpty
        }
    }

    /// Ends the handling of an element, and answers its caller. If the run has ended, `detach` answers instead.
    fileprivate func finish(
        _ entry: IntakeEntry<Element>, of run: IntakeRun<Element>, _ result: Result<Void, any Error>
    ) {
        let isCounted = state.withLock { state in
            guard state.run === run else { return false }
            state.unhandled -= 1
            state.replies[entry.number] = nil
            return true
        }
        guard isCounted else { return }
        if Resilience.isObserved {
            let isSuccess = if case .success = result { true } else { false }
            let took = clock.clock.elapsed(since: entry.accepted)
            Resilience.tell(.intake, name, .handled(isSuccess: isSuccess, took: took))
        }
        entry.reply?.answer(result)
        run.drain.countOut(name)
    }

    /// Ends a run. Callers that wait in `handled` get ``IntakeDropped``, and their elements are dropped. Other elements
    /// wait for the next run, unless their handling has begun.
    fileprivate func detach(_ run: IntakeRun<Element>) {
        var (counted, dropped) = (0, [IntakeReply]())
        var old = Ring<IntakeEntry<Element>>()
        state.withLock { state in
            switch state.phase {
            case .running(let current) where current === run: state.phase = .idle
            case .stopping(let current) where current === run: state.phase = .stopped
            default: return
            }
            counted = state.unhandled
            dropped = state.replies.sorted { $0.key < $1.key }.map(\.value)
            state.replies = [:]
            swap(&old, &state.waiting)
            // Each entry returns to `old`, so that no element is released under the lock.
            for _ in 0..<old.count {
                let entry = old.removeFirst()
                if let reply = entry.reply { dropped.append(reply) } else { state.waiting.append(entry) }
                old.append(entry)
            }
            state.unhandled = state.waiting.count
        }
        for reply in dropped {
            Resilience.tell(.intake, name, .dropped)
            reply.answer(.failure(IntakeDropped(name: name)))
        }
        for _ in 0..<counted { run.drain.countOut(name) }
    }
}

extension Intake: Observed {
    func describe(in snapshot: inout Resilience.Snapshot) {
        let (limit, unhandled) = state.withLock { ($0.limit, $0.unhandled) }
        snapshot.intakes.append(Resilience.IntakeState(name: name, limit: limit, unhandled: unhandled))
    }
}

// @unchecked Sendable because any thread may read a scheduler's clock.
private struct IntakeClock: @unchecked Sendable {
    let clock: SpanClock
}

/// Whether an ``Intake`` has accepted an element.
public enum IntakeAnswer: Sendable, Hashable {
    /// The element will be delivered before the pipeline's source completes.
    case accepted

    /// The element will not be delivered.
    case refused(IntakeRefused)

    /// Whether the element was accepted.
    public var isAccepted: Bool { self == .accepted }
}

/// The error for an element that an ``Intake`` has not accepted.
public struct IntakeRefused: Error, Hashable, CustomStringConvertible {
    /// Why an element is refused.
    public enum Reason: Sendable, Hashable {
        /// The drain has been stopped.
        case stopping

        /// The number of accepted, unhandled elements has reached the intake's limit.
        case full

        /// No pipeline is subscribed.
        case notRunning
    }

    /// The intake's name.
    public let name: String

    /// Why the element is refused.
    public let reason: Reason

    /// The number of accepted, unhandled elements.
    public let unhandled: Int

    /// Creates an error from `name`, `reason` and `unhandled`, for use in tests.
    public init(name: String, reason: Reason, unhandled: Int) {
        self.name = name
        self.reason = reason
        self.unhandled = unhandled
    }

    /// The error as a sentence.
    public var description: String {
        switch reason {
        case .stopping: "The intake \(name) is stopping and accepts no elements."
        case .full: "The intake \(name) is full: \(unhandled) accepted elements are not handled yet."
        case .notRunning: "The intake \(name) accepts no elements: no pipeline is subscribed to it."
        }
    }
}

/// The error for an accepted element whose pipeline ended before the element was handled.
///
/// The element's work may have had an effect.
public struct IntakeDropped: Error, Hashable, CustomStringConvertible {
    /// The intake's name.
    public let name: String

    /// Creates an error from `name`, for use in tests.
    public init(name: String) {
        self.name = name
    }

    /// The error as a sentence.
    public var description: String { "The pipeline of the intake \(name) has ended before the element was handled." }
}

/// The error for a subscription to an ``Intake`` whose previous subscription has not ended.
public struct IntakeInUse: Error, Hashable, CustomStringConvertible {
    /// The intake's name.
    public let name: String

    /// Creates an error from `name`, for use in tests.
    public init(name: String) {
        self.name = name
    }

    /// The error as a sentence.
    public var description: String { "The intake \(name) has a subscription already. An intake feeds one pipeline." }
}

// @unchecked Sendable because any thread may call `context`.
private struct IntakeEntry<Element: Sendable>: @unchecked Sendable {
    let element: Element
    let reply: IntakeReply?
    let deadline: Deadline?
    /// Restores the context of the offer; nil if none was captured.
    let context: Hooks.ContextRestorer?
    /// The key of `reply` in `replies`, assigned by `next(for:)`; 0 if `reply` is nil.
    var number: UInt64 = 0
    /// The time of acceptance; nil without an observer of ``Resilience/observe(_:)``.
    var accepted: Int?

    /// Runs `body` in the context of the offer.
    func restore(_ body: () -> Void) {
        if let context { context(body) } else { body() }
    }
}

/// A caller that waits until its element is handled, and is answered once.
///
/// Guards: `state` has a lock. The continuation is resumed after unlocking.
private final class IntakeReply: Sendable {
    private enum State {
        case fresh
        case waiting(CheckedContinuation<Void, any Error>)
        case answered(Result<Void, any Error>)
    }

    private let state = Locked(State.fresh)

    /// Stores `waiter` until the answer arrives. If the answer has already arrived, for example from a cancellation,
    /// resumes `waiter` and returns false.
    func wait(_ waiter: CheckedContinuation<Void, any Error>) -> Bool {
        let answer: Result<Void, any Error>? = state.withLock { state in
            if case .answered(let result) = state { return result }
            state = .waiting(waiter)
            return nil
        }
        if let answer { waiter.resume(with: answer) }
        return answer == nil
    }

    func answer(_ result: Result<Void, any Error>) {
        let waiter: CheckedContinuation<Void, any Error>? = state.withLock { state in
            switch state {
            case .fresh:
                state = .answered(result)
                return nil
            case .waiting(let waiter):
                state = .answered(result)
                return waiter
            case .answered: return nil
            }
        }
        waiter?.resume(with: result)
    }
}

/// One subscription to an intake. An offer begins the handling of at most one element, so that one thread does not
/// deliver the offers of all threads for ever. A subscription, a resume, a stop or the end of work may begin the
/// handling of all waiting elements.
///
/// Guards: `isPumping` and `woken` are used only inside the gate of the result, so by one thread at a time. `stopping`
/// is thread-safe, and the other properties never change.
// @unchecked Sendable because of these guards; subclasses name theirs.
private class IntakeRun<Element: Sendable>: Disposable, @unchecked Sendable {
    final let intake: Intake<Element>
    final let drain: Drain
    private final let stopping = SingleAssignmentDisposable()
    private final var isPumping = false
    /// The number of elements that `pump` may still take.
    private final var woken = 0

    init(_ intake: Intake<Element>, _ drain: Drain) {
        self.intake = intake
        self.drain = drain
    }

    func enter(_ body: @escaping () -> Void) { fatalError("\(#function) must be overridden") }
    func refuse(_ error: IntakeInUse) { fatalError("\(#function) must be overridden") }
    /// Whether the run can take an element. If false, `pump(all: true)` is called later.
    var isReady: Bool { fatalError("\(#function) must be overridden") }
    func take(_ entry: IntakeEntry<Element>) { fatalError("\(#function) must be overridden") }
    func complete() { fatalError("\(#function) must be overridden") }

    final func begin() -> any Disposable {
        guard intake.attach(self) else {
            refuse(IntakeInUse(name: intake.name))
            return Disposables.create()
        }
        stopping.setDisposable(
            drain.stopped.filter { $0 }.subscribe(onNext: { [self] _ in
                intake.stop(self)
                wake(all: true)
            }))
        wake(all: true)
        return self
    }

    final func wake(all: Bool) {
        enter { self.pump(all: all) }
    }

    /// Begins the handling of one waiting element, or of all. Called only inside the gate of the result. If the
    /// observer offers elements during a delivery, the running loop delivers them.
    final func pump(all: Bool) {
        woken = all ? max(woken, intake.waiting) : woken + 1
        guard !isPumping else { return }
        isPumping = true
        while woken > 0, isReady, let entry = intake.next(for: self) {
            woken -= 1
            take(entry)
        }
        woken = 0
        isPumping = false
        if intake.isExhausted(for: self) { complete() }
    }

    final func dispose() {
        stopping.dispose()
        intake.detach(self)
    }
}

// @unchecked Sendable because it has no state of its own.
private final class DeliveringRun<Element: Sendable>: IntakeRun<Element>, @unchecked Sendable {
    private let result: Coordination<Element>

    init(_ intake: Intake<Element>, _ drain: Drain, _ result: Coordination<Element>) {
        self.result = result
        super.init(intake, drain)
        result.onResume { [weak self] in self?.pump(all: true) }
    }

    override func enter(_ body: @escaping () -> Void) { result.enter(body) }
    override func refuse(_ error: IntakeInUse) { enter { self.result.send(.error(error)) } }
    override var isReady: Bool { result.isLive && !result.keepsForResume(self) }

    override func take(_ entry: IntakeEntry<Element>) {
        entry.restore { result.send(.next(entry.element)) }
        intake.finish(entry, of: self, .success(()))
    }

    override func complete() {
        // The run is detached first, so that the observer may subscribe again when it receives the completion.
        intake.detach(self)
        result.send(.completed)
    }
}

/// Guards: `running` is used only inside the gate of `result`, so by one thread at a time.
// @unchecked Sendable because of that guard.
private final class WorkingRun<Element: Sendable, Answer>: IntakeRun<Element>, @unchecked Sendable {
    private let result: Coordination<Result<Answer, any Error>>
    private let most: Int
    private let work: @Sendable (Element) throws -> Single<Answer>
    private var running = 0

    init(
        _ intake: Intake<Element>, _ drain: Drain, _ result: Coordination<Result<Answer, any Error>>, _ most: Int,
        _ work: @escaping @Sendable (Element) throws -> Single<Answer>
    ) {
        self.result = result
        self.most = most
        self.work = work
        super.init(intake, drain)
        result.onResume { [weak self] in self?.pump(all: true) }
    }

    override func enter(_ body: @escaping () -> Void) { result.enter(body) }
    override func refuse(_ error: IntakeInUse) { enter { self.result.send(.error(error)) } }
    override var isReady: Bool { running < most && result.isLive && !result.keepsForResume(self) }

    override func take(_ entry: IntakeEntry<Element>) {
        running += 1
        var value: Answer?
        // If the work ends during `subscribe`, its resources are not free before `subscribe` has returned. `early`
        // stores the outcome until then.
        var early: Result<Answer, any Error>?
        var isSubscribing = true
        let end = { (outcome: Result<Answer, any Error>) in
            if isSubscribing { early = outcome } else { self.end(entry, outcome) }
        }
        let source = Observable.deferred { [work] in try work(entry.element).asObservable() }
        entry.restore {
            Deadline.restore(entry.deadline) {
                result.subscribe(freeing: source) { event in
                    switch event {
                    case .next(let answer): value = answer
                    case .error(let error): end(.failure(error))
                    // A single sends its value before it completes.
                    case .completed: if let value { end(.success(value)) }
                    }
                }
                isSubscribing = false
                if let early { self.end(entry, early) }
            }
        }
    }

    /// The observer of the result may stop the drain. The run must not end before the caller has its answer, so
    /// `running` decreases after `finish`.
    private func end(_ entry: IntakeEntry<Element>, _ outcome: Result<Answer, any Error>) {
        result.send(.next(outcome))
        intake.finish(entry, of: self, outcome.map { _ in })
        running -= 1
        pump(all: true)
    }

    override func complete() {
        guard running == 0 else { return }
        intake.detach(self)
        result.send(.completed)
    }
}
