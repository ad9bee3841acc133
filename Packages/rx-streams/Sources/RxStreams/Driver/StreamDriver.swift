public import Dispatch
public import RxSwift

/// Stores streams. Implement this protocol to support another engine.
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
/// A driver has no policy: its caller encodes and decodes, counts unsettled messages and attempts, extends deadlines,
/// writes dead letters, and retries calls that failed with ``BrokerError/unavailable(_:)``. See <doc:WritingADriver>.
///
/// - **Threads**: any task may call each function, and several calls may run at the same time.
/// - **Errors**: a ``BrokerError``. While disconnected, a driver keeps trying to connect. A call then throws
///   ``BrokerError/unavailable(_:)``, at once or after a while.
/// - **Cancellation**: if a call's task is cancelled, the call returns or throws soon. It may already have taken
///   effect.
public protocol StreamDriver: AnyObject, Sendable {
    /// The scheduler that measures time; in a test's driver, virtual time.
    var scheduler: any SchedulerType & Sendable { get }

    /// Runs the tasks that work with the driver; nil for Swift's pool.
    var executor: (any TaskExecutor)? { get }

    /// The connection's current state at once, then each change. Never fails, and completes after
    /// ``BrokerStatus/closed``.
    var status: Observable<BrokerStatus> { get }

    /// Creates a stream, or changes an existing one to these settings. Messages outside the new retention are removed.
    /// Throws ``BrokerError/refused(_:)`` if the settings are invalid, or cannot be changed.
    func ensure(_ stream: StreamSettings) async throws

    /// Removes a stream with all its messages and groups. A missing stream is not an error.
    func remove(stream: String) async throws

    /// Stores messages in a stream, in this order. Returns once they are as durable as the engine can make them. If the
    /// call throws, any of them may have been stored.
    ///
    /// If an earlier message with the same id was received within the ``StreamSettings/duplicateWindow``, the message
    /// is not stored again. Its receipt has the earlier position and `isDuplicate` set.
    func append(_ messages: [NewMessage], to stream: String) async throws -> [Receipt]

    /// Joins a group, and creates it if it does not exist. Each message stored after this call is delivered to a
    /// member.
    ///
    /// The member gets the deadline that it requested or a longer one: see ``GroupMember/deadlineInForce``. Other
    /// members cannot shorten it. Throws ``BrokerError/refused(_:)`` if the group exists with another filter.
    func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember

    /// Removes a group with its progress. A missing group is not an error.
    func remove(group: String, of stream: String) async throws

    /// Returns at most `limit` available messages of a `stream`, in the order of positions, without a group. The first
    /// is the message at `position` or the next existing one; the call waits at most `span` for it. The result is empty
    /// only if the span has passed.
    func read(_ stream: String, from position: Position, limit: Int, within span: RxTimeInterval) async throws
        -> [StoredMessage]

    /// Returns the position at which a replay starts. It is at most the position after the last message.
    func locate(_ start: ReplayStart, in stream: String) async throws -> Position

    /// Returns the range of a stream's positions and the number of its messages. Throws ``BrokerError/missing(_:)`` if
    /// the stream does not exist.
    func summary(of stream: String) async throws -> StreamSummary

    /// Returns the progress of a group. Throws ``BrokerError/missing(_:)`` if the group or its stream does not exist.
    func summary(of group: String, in stream: String) async throws -> GroupSummary

    /// Returns pulled messages to the engine, and closes the connection. Calls in progress and later ones throw
    /// ``BrokerError/closed``. Closing again has no effect.
    func close() async
}

/// A driver of an engine that interprets or refuses some headers.
package protocol HeaderReading: StreamDriver {
    /// Returns whether a header may be copied to another stream.
    func goesAlong(_ name: String, _ value: String) -> Bool
}

/// A driver that can distinguish a stream from an earlier one of the same name.
package protocol StreamTelling: StreamDriver {
    /// Like ``StreamDriver/locate(_:in:)``, but also returns the stream's identity.
    func find(_ start: ReplayStart, in stream: String) async throws -> (position: Position, identity: Int64)

    /// Like ``StreamDriver/read(_:from:limit:within:)``, but throws ``BrokerError/missing(_:)`` if the stream has
    /// another identity.
    func read(
        _ stream: String, identity: Int64?, from position: Position, limit: Int, within span: RxTimeInterval
    ) async throws -> [StoredMessage]
}

/// A member of a group. The group's messages are divided among its members.
public protocol GroupMember: AnyObject, Sendable {
    /// The deadline that applies to this member's messages; nil if it is the requested one.
    var deadlineInForce: RxTimeInterval? { get }

    /// Returns due messages: new messages, messages past their deadlines, and messages to be tried again. Until a
    /// message is settled or its deadline passes, it belongs to one member. Only one pull may be in progress at a time.
    ///
    /// - Parameters:
    ///   - count: the maximum number of messages in transit to the member, at least 1.
    ///   - span: how long to wait for the first message.
    /// - Returns: the available messages, without a wait for more. The result is empty if the span has passed. It may
    ///   also be empty if the connection was lost and restored during the call.
    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage]

    /// Reports the settlements of messages that this member has pulled, in this order.
    ///
    /// Returns once the verdicts have been sent. The engine may not have stored them, so a handled message may be
    /// delivered again. A late verdict is applied as far as possible and is not an error. After ``Settlement/extended``
    /// the caller can settle a message again. If the call throws, the caller may repeat all verdicts. If it throws
    /// ``BrokerError/refused(_:)``, the sequence of the member fails.
    func settle(_ verdicts: [Verdict]) async throws

    /// Stops pulling. Messages in transit that the member has not pulled go to other members, even if an earlier pull
    /// is still open at the engine. The member can still settle the messages that it has pulled. The default
    /// implementation does nothing, for engines that forget a pull when the call of `pull` returns.
    func stopPulling() async

    /// Leaves the group. Messages in transit that the member has not pulled return to the engine; if it cannot be
    /// reached, they are delivered again after their deadlines.
    func leave() async
}

extension GroupMember {
    /// The default: the requested deadline.
    public var deadlineInForce: RxTimeInterval? { nil }

    /// The default, which does nothing.
    public func stopPulling() async {}
}
