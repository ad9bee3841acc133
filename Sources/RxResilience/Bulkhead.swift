import RxSwift

/// Limits the number of concurrent calls, lets a limited number wait, and rejects the rest.
///
///     let database = Bulkhead(32, waiting: 100, name: "database")
///     let user = users.load(id).admitted(by: database)
///     let rows = try await database.run { try await client.query(statement) }
///
/// Each subscription holds one permit. Waiting calls begin in order of arrival, and hold no thread. See
/// <doc:Bulkheads>.
///
/// Any thread may use a bulkhead. Share one among all callers of a resource.
public final class Bulkhead: Sendable {
    /// The bulkhead's name in ``BulkheadFull``.
    public let name: String

    let permits: PermitQueue<BulkheadRule>

    /// Creates a bulkhead.
    ///
    /// - Parameters:
    ///   - limit: the number of calls that may run concurrently, at least one.
    ///   - waiting: the number of calls that may wait.
    ///   - name: the bulkhead's name in errors.
    public convenience init(_ limit: Int, waiting: Int = 0, name: String = "bulkhead") {
        self.init(Limits(running: limit, waiting: waiting), name, stopwatch: .monotonic)
    }

    /// Creates a bulkhead that measures waiting times with the clock of a scheduler.
    ///
    /// The times appear in events of ``Resilience/observe(_:)``. Nothing is scheduled on `scheduler`. For `limit`,
    /// `waiting` and `name`, see ``init(_:waiting:name:)``.
    public convenience init(
        _ limit: Int, waiting: Int = 0, name: String = "bulkhead", scheduler: any SchedulerType
    ) {
        self.init(Limits(running: limit, waiting: waiting), name, stopwatch: SpanClock(scheduler))
    }

    private init(_ limits: Limits, _ name: String, stopwatch: SpanClock) {
        limits.problem?.stop("Bulkhead")
        self.name = name
        permits = PermitQueue(
            BulkheadRule(name: name, limit: limits.running, waiting: limits.waiting), scheduler: nil,
            stopwatch: stopwatch)
        Resilience.list(self)
    }

    deinit { Resilience.unlist(self) }

    /// The limits of a bulkhead.
    public struct Limits: Sendable, Hashable {
        /// The number of calls that may run concurrently, at least one.
        public var running: Int

        /// The number of calls that may wait, at least 0.
        public var waiting: Int

        /// Creates limits from `running` and `waiting`. ``Bulkhead/setLimits(_:)`` checks them.
        public init(running: Int, waiting: Int = 0) {
            self.running = running
            self.waiting = waiting
        }

        fileprivate var problem: LimitProblem? {
            if running < 1 {
                LimitProblem("A bulkhead needs at least one permit", "limit", running, "calls")
            } else if waiting < 0 {
                LimitProblem("A count can't be negative", "waiting", waiting, "calls")
            } else {
                nil
            }
        }
    }

    /// The present limits.
    public var limits: Limits { permits.read { Limits(running: $0.limit, waiting: $0.waiting) } }

    /// Changes the limits while the bulkhead is in use.
    ///
    ///     var limits = database.limits
    ///     limits.running = 64
    ///     try database.setLimits(limits)
    ///
    /// - More permits: waiting calls start on the calling thread, before this function returns.
    /// - Fewer permits: running calls continue. No call starts until their number is below the new limit.
    /// - A shorter queue: waiting calls stay. New calls are rejected until there is room.
    ///
    /// - Throws: ``InvalidLimit`` if `running` is less than 1 or `waiting` is negative.
    public func setLimits(_ limits: Limits) throws(InvalidLimit) {
        if let problem = limits.problem { throw problem.error("bulkhead \(name)") }
        permits.change { rule, _ in
            rule.free += limits.running - rule.limit
            rule.limit = limits.running
            rule.waiting = limits.waiting
        }
    }

    /// The number of calls that could begin now.
    public var available: Int { max(0, permits.read(\.free)) }

    /// The number of calls that wait.
    public var waiting: Int { permits.waiting }

    /// Runs work within the bulkhead.
    ///
    /// `work` runs on the caller's actor (`isolation`).
    ///
    /// - Throws: ``BulkheadFull``; `CancellationError` if the task was cancelled while it waited; any error of `work`.
    public func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async throws -> Value {
        try await permits.run(isolation: isolation, work)
    }
}

extension Bulkhead: Observed {
    func describe(in snapshot: inout Resilience.Snapshot) {
        let (rule, waiting, _) = permits.present
        snapshot.bulkheads.append(
            Resilience.BulkheadState(
                name: name, limits: Limits(running: rule.limit, waiting: rule.waiting), running: rule.limit - rule.free,
                waiting: waiting))
    }
}

/// The error of a call that a ``Bulkhead`` rejects because all permits are in use and its queue is full.
public struct BulkheadFull: Error, Hashable, CustomStringConvertible {
    /// The bulkhead's name.
    public let name: String

    /// The number of calls that run.
    public let running: Int

    /// The number of calls that wait.
    public let waiting: Int

    /// Creates an error from `name`, `running` and `waiting`, for use in tests.
    public init(name: String, running: Int, waiting: Int) {
        self.name = name
        self.running = running
        self.waiting = waiting
    }

    /// The error as a sentence.
    public var description: String { "The bulkhead \(name) is full: \(running) running, \(waiting) waiting." }
}

struct BulkheadRule: PermitRule {
    static var kind: Resilience.Kind { .bulkhead }

    let name: String
    var limit: Int
    var waiting: Int
    /// The number of free permits; negative while more calls run than a lowered limit allows.
    var free: Int

    init(name: String, limit: Int, waiting: Int) {
        self.name = name
        self.limit = limit
        self.waiting = waiting
        free = limit
    }

    mutating func take(at now: Int) -> Int? {
        guard free > 0 else { return nil }
        free -= 1
        return 0
    }

    mutating func giveBack(of era: Int, unused: Bool) {
        free += 1
    }

    /// The first `free` requests in the queue are about to start, so they do not count as waiting.
    func mayWait(_ count: Int) -> Bool {
        count - max(0, free) < waiting
    }

    func pause(at now: Int) -> Int? { nil }

    func refusal(at now: Int, waiting count: Int) -> any Error {
        BulkheadFull(name: name, running: limit - free, waiting: count)
    }
}

extension ObservableType {
    /// Subscribes to this sequence when the bulkhead has a permit for it.
    ///
    ///     a:                        --1--|
    ///     b:                             --2--|
    ///     a.admitted(by: bulkhead): --1--|
    ///     b.admitted(by: bulkhead): -------2--|   one at a time
    ///
    /// ![The second call begins when the first has ended](marble-admitted)
    ///
    /// When the source ends or is disposed of, its resources are freed. Then the permit is returned, and then the end
    /// is passed on. So the next call finds the resources free. Exception: if the source ends on another thread while
    /// `subscribe` runs, `subscribe` may create resources after the end. These may be freed after the permit is
    /// returned.
    ///
    /// A waiting subscription begins on a thread that returns a permit, makes a later call or calls
    /// ``Bulkhead/setLimits(_:)``. If the queue is full, the sequence fails at once with ``BulkheadFull``. No element
    /// is buffered.
    ///
    /// Pausing: the source pauses with the downstream chain. A waiting subscription receives its permit even during a
    /// pause; its source then starts paused.
    public func admitted(by bulkhead: Bulkhead) -> Observable<Element> {
        holdingPermit(of: bulkhead.permits)
    }
}

extension PrimitiveSequence {
    /// Subscribes to this single, maybe or completable when the bulkhead has a permit for it.
    ///
    /// Like ``RxSwift/ObservableType/admitted(by:)``, except that the permit is returned before the element is passed
    /// on.
    public func admitted(by bulkhead: Bulkhead) -> PrimitiveSequence<Trait, Element> {
        holdingPermit(of: bulkhead.permits)
    }
}
