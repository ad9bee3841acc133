import RxSwift

/// Lets so many calls run at once, so many more wait, and refuses the rest.
///
///     let database = Bulkhead(32, waiting: 100, name: "database")
///     let user = users.load(id).admitted(by: database)
///     let rows = try await database.run { try await client.query(statement) }
///
/// A permit belongs to a subscription. It is asked for when the subscription is made, and given back once, when the
/// source has ended or been disposed of and is torn down, and before the end is passed on. Who waits, waits in the
/// order of coming, and holds no thread. See <doc:Bulkheads>.
///
/// Any thread may use it. One bulkhead stands for one thing that is not to be overrun, and is shared by all its
/// callers.
public final class Bulkhead: Sendable {
    /// What ``BulkheadFull`` calls it.
    public let name: String

    let turnstile: Turnstile<BulkheadRule>

    /// Makes a bulkhead.
    ///
    /// - Parameters:
    ///   - limit: how many calls may run at once, at least one.
    ///   - waiting: how many more may wait.
    ///   - name: what its errors call it.
    public init(_ limit: Int, waiting: Int = 0, name: String = "bulkhead") {
        if limit < 1 {
            rxFatalError("A bulkhead needs a permit", operator: "Bulkhead", argument: "limit", value: limit)
        }
        if waiting < 0 {
            rxFatalError("A count can't be negative", operator: "Bulkhead", argument: "waiting", value: waiting)
        }
        self.name = name
        turnstile = Turnstile(BulkheadRule(name: name, limit: limit, waiting: waiting))
    }

    /// How many more calls could begin now.
    public var available: Int { turnstile.read(\.free) }

    /// How many calls wait.
    public var waiting: Int { turnstile.waiting }

    /// Does work, within the bulkhead.
    ///
    /// It waits for its turn without holding a thread, and the work runs where the caller is. Cancelled while it waits,
    /// the task leaves the line, and the work is not begun.
    ///
    /// - Parameters:
    ///   - isolation: the caller's actor, by default.
    ///   - work: the work.
    /// - Returns: what the work returns.
    /// - Throws: ``BulkheadFull``, `CancellationError` where the task was cancelled while it waited, and what the work
    ///   throws.
    public func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
    ) async throws -> Value {
        try await turnstile.run(isolation: isolation, work)
    }
}

/// Nobody may wait any more: a ``Bulkhead``'s permits are out, and its line is as long as it may be.
public struct BulkheadFull: Error, Hashable, CustomStringConvertible {
    /// The bulkhead.
    public let name: String

    /// How many calls run.
    public let running: Int

    /// How many calls wait.
    public let waiting: Int

    /// Makes one, as tests do.
    ///
    /// - Parameters:
    ///   - name: the bulkhead's.
    ///   - running: how many calls run.
    ///   - waiting: how many calls wait.
    public init(name: String, running: Int, waiting: Int) {
        self.name = name
        self.running = running
        self.waiting = waiting
    }

    /// The error as a sentence.
    public var description: String { "The bulkhead \(name) is full: \(running) calls run, \(waiting) wait." }
}

struct BulkheadRule: PermitRule {
    let name: String
    let limit: Int
    let waiting: Int
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

    /// Those for whom there is a permit already are as good as gone.
    func mayWait(_ count: Int) -> Bool {
        count - free < waiting
    }

    func pause(at now: Int) -> Int? { nil }

    func refusal(at now: Int, waiting count: Int) -> any Error {
        BulkheadFull(name: name, running: limit - free, waiting: count)
    }
}

extension ObservableType {
    /// This sequence, subscribed to when the bulkhead has a permit for it.
    ///
    ///     a:                        --1--|
    ///     b:                             --2--|
    ///     a.admitted(by: bulkhead): --1--|
    ///     b.admitted(by: bulkhead): -------2--|   one at a time
    ///
    /// ![The second call begins when the first has ended](marble-admitted)
    ///
    /// The permit is given back when the source is torn down, at its end or with the subscription, so that what it had
    /// in use is free for who has the permit then; and the end is passed on after that. A source that ends on the
    /// thread that is subscribing to it is torn down, and its end passed on, when it has been subscribed to; one that
    /// ends on another thread meanwhile, at once, but for what it has yet to hand over. A subscription that has to wait
    /// begins on the thread on which another's permit comes back, or, while an end is passed on there,
    /// on that of a later subscription; one that is disposed of while it waits never subscribes to the source. Where
    /// nobody may wait any more the sequence fails at once with ``BulkheadFull``. Elements are passed on as they come;
    /// nothing is buffered.
    ///
    /// Pausing: the source pauses with what is below. What waits for its permit gets it meanwhile, too, and is paused
    /// from its start.
    ///
    /// - Parameter bulkhead: whose permit it is.
    public func admitted(by bulkhead: Bulkhead) -> Observable<Element> {
        holdingPermit(of: bulkhead.turnstile)
    }
}

extension PrimitiveSequence {
    /// This single, maybe or completable, subscribed to when the bulkhead has a permit for it.
    ///
    /// As ``RxSwift/ObservableType/admitted(by:)``, but that the permit goes back before the element is passed on.
    ///
    /// - Parameter bulkhead: whose permit it is.
    public func admitted(by bulkhead: Bulkhead) -> PrimitiveSequence<Trait, Element> {
        holdingPermit(of: bulkhead.turnstile)
    }
}
