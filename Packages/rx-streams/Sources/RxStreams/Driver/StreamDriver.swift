public import Dispatch
public import RxSwift

/// What keeps streams: the part of a broker that somebody writes who brings another engine.
///
/// ```swift
/// try await driver.ensure(StreamSettings("orders", subjects: ["orders.>"]))
/// let receipts = try await driver.append([NewMessage("orders.new", payload)], to: "orders")
/// let member = try await driver.join(GroupSettings("billing"), of: "orders")
/// for message in try await member.pull(upTo: 16, within: .seconds(30)) {
///     try await member.settle([Verdict(message.token, .done)])
/// }
/// ```
///
/// A driver does what it is told and says how that went. It decodes nothing and has no policy: who calls it counts what
/// is unsettled, extends deadlines, counts attempts, sends to the dead letters, and tries again what failed with
/// ``BrokerError/unavailable(_:)``. *WritingADriver* says more, and the product `RxStreamsConformance` tries a driver.
///
/// - **Threads**: each function may be called from any task, several at once.
/// - **Errors**: a ``BrokerError``. While there is no connection a driver goes on trying to get one, and says so by
///   ``status``; a call meanwhile throws ``BrokerError/unavailable(_:)``, at once or after a while.
/// - **Cancellation**: a call whose task is cancelled returns or throws soon; what it has begun may have been done.
public protocol StreamDriver: AnyObject, Sendable {
    /// What spans are measured by: a virtual clock, where the driver is one of a test.
    var scheduler: any SchedulerType & Sendable { get }

    /// Where the tasks run that work with the driver; nil for Swift's pool.
    var executor: (any TaskExecutor)? { get }

    /// How the connection is: the present state at once, then each change. It never fails, and ends when the driver is
    /// closed, after ``BrokerStatus/closed``.
    var status: Observable<BrokerStatus> { get }

    /// Makes a stream, or gives one that is there these settings: what they do not keep goes.
    ///
    /// - Throws: ``BrokerError/refused(_:)`` where it is there with others that cannot be changed, or where its
    ///   settings make no sense.
    func ensure(_ stream: StreamSettings) async throws

    /// Removes a stream with all that it keeps, and its groups. One that is not there is no error.
    func remove(stream: String) async throws

    /// Keeps messages, in this order, and returns once they are kept as well as the engine can.
    ///
    /// A message whose id is that of one which the stream has got within its ``StreamSettings/duplicateWindow`` is not
    /// kept again; its receipt is that of the first, and says so. Where it throws, any of the messages may have been
    /// kept.
    func append(_ messages: [NewMessage], to stream: String) async throws -> [Receipt]

    /// Becomes a member of a group, which is made where it is not there. When this returns the group is known to the
    /// engine: what is kept from now on is delivered to one of its members.
    ///
    /// The member has its deadline, or a longer one, whatever members join with before and after it.
    ///
    /// - Throws: ``BrokerError/refused(_:)`` where the group is there with another filter.
    func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember

    /// Removes a group with its progress. One that is not there is no error.
    func remove(group: String, of stream: String) async throws

    /// Reads what a stream keeps, for no group, in the order of positions.
    ///
    /// - Parameters:
    ///   - stream: the stream's name.
    ///   - position: the first that may be returned; where it is gone, the next one that is there.
    ///   - limit: at most so many, at least 1.
    ///   - span: how long to wait for the first of them where there is none yet.
    /// - Returns: what is there, at least one of them unless the span has passed.
    func read(_ stream: String, from position: Position, limit: Int, within span: RxTimeInterval) async throws
        -> [StoredMessage]

    /// The position from which a replay reads; one after the last where nothing is that late.
    func locate(_ start: ReplayStart, in stream: String) async throws -> Position

    /// What a stream holds.
    ///
    /// - Throws: ``BrokerError/missing(_:)`` where it is not there.
    func summary(of stream: String) async throws -> StreamSummary

    /// How far a group is.
    ///
    /// - Throws: ``BrokerError/missing(_:)`` where it is not there, or its stream is not.
    func summary(of group: String, in stream: String) async throws -> GroupSummary

    /// Ends all work, hands back what was pulled, and closes. Calls under way and later ones throw
    /// ``BrokerError/closed``. Closing again does nothing.
    func close() async
}

/// A driver of an engine that reads headers of its messages itself, or refuses some.
package protocol HeaderReading: StreamDriver {
    /// Whether a header of a message may go with it to another stream.
    func goesAlong(_ name: String, _ value: String) -> Bool
}

/// A driver that tells a stream from those of its name that were there before it.
package protocol StreamTelling: StreamDriver {
    /// Where a replay begins, as ``StreamDriver/locate(_:in:)`` says it, and which stream that is.
    func find(_ start: ReplayStart, in stream: String) async throws -> (position: Position, identity: Int64)

    /// Reads as ``StreamDriver/read(_:from:limit:within:)`` does.
    ///
    /// - Throws: ``BrokerError/missing(_:)`` where the stream of that name is another one.
    func read(
        _ stream: String, identity: Int64?, from position: Position, limit: Int, within span: RxTimeInterval
    ) async throws -> [StoredMessage]
}

/// A member of a group: one of those among whom a group's messages are divided.
public protocol GroupMember: AnyObject, Sendable {
    /// Takes messages that are due: new ones, those whose deadline has passed, and those to be tried again.
    ///
    /// One call at a time. A message is delivered to one member at a time, until it is settled or its deadline passes.
    ///
    /// - Parameters:
    ///   - count: at most so many, at least 1. Also on its way to the member is never more than this.
    ///   - span: how long to wait for the first.
    /// - Returns: what is there, without waiting for more once there is one; nothing, when the span has passed, or when
    ///   what was asked for was lost with a connection that is well again.
    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage]

    /// Says what became of messages that this member has pulled, in this order.
    ///
    /// Returns once it has been said; whether the engine then kept it is not known for certain, and so a message may
    /// come again that is done with. One whose deadline has passed is settled as well as it can be, and is no error.
    /// After ``Settlement/extended`` it may be settled again. Where it throws, all of it may be said again.
    /// ``BrokerError/refused(_:)`` ends the sequence of the member.
    func settle(_ verdicts: [Verdict]) async throws

    /// Pulls no more: nothing more is delivered to it, and what was on its way to it and not yet pulled is handed back.
    /// What it has pulled it goes on to settle; so what it then hands back goes to others, and not to a pull of its own
    /// that the engine still remembers. It does not throw. Unless written it does nothing, which is right where an
    /// engine knows of no pull that is not under way.
    func stopPulling() async

    /// Leaves: nothing more is delivered to it, and what was on its way to it and not yet pulled is handed back. It
    /// does not throw: where the engine cannot be reached, deadlines do the rest.
    func leave() async
}

extension GroupMember {
    /// Does nothing.
    public func stopPulling() async {}
}
