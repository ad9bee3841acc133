public import Dispatch
public import RxSwift

/// Stores streams. To support another engine, implement this protocol.
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
/// A driver executes commands and reports their results. It decodes nothing and has no policy: its caller counts
/// unsettled messages, extends deadlines, counts attempts, writes dead letters, and retries calls that failed with
/// ``BrokerError/unavailable(_:)``. See *WritingADriver*; the product `RxStreamsConformance` tests a driver.
///
/// - **Threads**: each function may be called from any task, and several calls may run at the same time.
/// - **Errors**: a ``BrokerError``. While disconnected, a driver keeps trying to connect and reports its state through
///   ``status``. A call during that time throws ``BrokerError/unavailable(_:)``, at once or after a while.
/// - **Cancellation**: if a call's task is cancelled, the call returns or throws soon. Its effect may already have
///   taken place.
public protocol StreamDriver: AnyObject, Sendable {
    /// The scheduler that measures time; in a test's driver, one with virtual time.
    var scheduler: any SchedulerType & Sendable { get }

    /// The executor of the tasks that work with the driver; nil for Swift's pool.
    var executor: (any TaskExecutor)? { get }

    /// The state of the connection. Sends the current state at once, then each change. Never fails, and completes when
    /// the driver is closed, after ``BrokerStatus/closed``.
    var status: Observable<BrokerStatus> { get }

    /// Creates a stream, or changes an existing one to these settings. Messages outside the new retention are removed.
    ///
    /// - Throws: ``BrokerError/refused(_:)`` if the settings are invalid, or if the stream exists with settings that
    ///   cannot be changed.
    func ensure(_ stream: StreamSettings) async throws

    /// Removes a stream with all its messages and groups. A missing stream is not an error.
    func remove(stream: String) async throws

    /// Stores messages in a stream, in this order. Returns once they are as durable as the engine can make them.
    ///
    /// If an earlier message with the same id was received within the ``StreamSettings/duplicateWindow``, the message
    /// is not stored again. Its receipt has the earlier message's position and `isDuplicate` set. If the call throws,
    /// any of the messages may have been stored.
    func append(_ messages: [NewMessage], to stream: String) async throws -> [Receipt]

    /// Joins a group, and creates the group if it does not exist. When this call has returned, the group exists at the
    /// engine, and each message stored from then on is delivered to one of its members.
    ///
    /// The member gets the deadline that it requested or a longer one. Other members cannot shorten it.
    ///
    /// - Throws: ``BrokerError/refused(_:)`` if the group exists with another filter.
    func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember

    /// Removes a group with its progress. A missing group is not an error.
    func remove(group: String, of stream: String) async throws

    /// Reads a stream's messages in the order of positions, without a group.
    ///
    /// - Parameters:
    ///   - stream: the stream's name.
    ///   - position: the position of the first message to return. If that message was removed, the read starts at the
    ///     next existing message.
    ///   - limit: the maximum number of messages, at least 1.
    ///   - span: how long to wait for the first message if there is none yet.
    /// - Returns: the available messages; empty only if the span has passed.
    func read(_ stream: String, from position: Position, limit: Int, within span: RxTimeInterval) async throws
        -> [StoredMessage]

    /// Returns the position at which a replay starts. If the start is after the last message, returns the position
    /// after that message.
    func locate(_ start: ReplayStart, in stream: String) async throws -> Position

    /// Returns the range and the number of a stream's messages.
    ///
    /// - Throws: ``BrokerError/missing(_:)`` if the stream does not exist.
    func summary(of stream: String) async throws -> StreamSummary

    /// Returns the progress of a group.
    ///
    /// - Throws: ``BrokerError/missing(_:)`` if the group or its stream does not exist.
    func summary(of group: String, in stream: String) async throws -> GroupSummary

    /// Ends all work, returns pulled messages to the engine, and closes the connection. Calls in progress and later
    /// ones throw ``BrokerError/closed``. Closing again has no effect.
    func close() async
}

/// A driver of an engine that interprets or refuses some message headers.
package protocol HeaderReading: StreamDriver {
    /// Returns whether a header of a message may be copied to another stream.
    func goesAlong(_ name: String, _ value: String) -> Bool
}

/// A driver that can distinguish a stream from an earlier one of the same name.
package protocol StreamTelling: StreamDriver {
    /// Returns the position that ``StreamDriver/locate(_:in:)`` returns, and the identity of the stream.
    func find(_ start: ReplayStart, in stream: String) async throws -> (position: Position, identity: Int64)

    /// Reads as ``StreamDriver/read(_:from:limit:within:)`` does.
    ///
    /// - Throws: ``BrokerError/missing(_:)`` if the stream of that name has another identity.
    func read(
        _ stream: String, identity: Int64?, from position: Position, limit: Int, within span: RxTimeInterval
    ) async throws -> [StoredMessage]
}

/// A member of a group. The group's messages are divided among its members.
public protocol GroupMember: AnyObject, Sendable {
    /// Returns due messages: new messages, messages past their deadlines, and messages to be tried again.
    ///
    /// Only one call may be in progress at a time. Until a message is settled or its deadline passes, it belongs to one
    /// member.
    ///
    /// - Parameters:
    ///   - count: the maximum number of messages, at least 1. At most this number of messages is in transit to the
    ///     member.
    ///   - span: how long to wait for the first message.
    /// - Returns: the available messages. As soon as a message is available, the call does not wait for more. The
    ///   result is empty if the span has passed, or if the connection was lost during the request and works again.
    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage]

    /// Reports the settlements of messages that this member has pulled, in this order.
    ///
    /// Returns once the verdicts have been sent. The engine may not have stored them, so a handled message may be
    /// delivered again. A verdict on a message whose deadline has passed is applied as far as possible and is not an
    /// error. After ``Settlement/extended`` the caller can settle a message again. If the call throws, the caller can
    /// send all verdicts again, so the driver must accept a repetition. If the call throws ``BrokerError/refused(_:)``,
    /// the sequence of the member fails.
    func settle(_ verdicts: [Verdict]) async throws

    /// Stops pulling. No more messages are delivered to this member. Messages in transit that it has not pulled return
    /// to the engine and go to other members. This must hold even if an earlier pull of this member is still open at
    /// the engine. The member can still settle the messages that it has pulled. Does not throw. The default
    /// implementation does nothing, for engines that forget a pull when the call of `pull` returns.
    func stopPulling() async

    /// Leaves the group. No more messages are delivered to this member, and messages in transit that it has not pulled
    /// return to the engine. Does not throw. If the engine cannot be reached, the messages are delivered again after
    /// their deadlines.
    func leave() async
}

extension GroupMember {
    /// The default, which does nothing.
    public func stopPulling() async {}
}
