public import Dispatch
public import RxSwift

/// The description of a stream.
public struct StreamSettings: Sendable, Equatable {
    /// The name: letters, digits, `-` and `_`.
    public var name: String
    /// The subjects that the stream stores; `*` matches one word, `>` at the end matches one or more.
    public var subjects: [String]
    /// How long the stream retains messages.
    public var keeping: Retention
    /// The number of servers that store the stream, if the engine has several.
    public var replicas: Int
    /// How long the stream remembers ids, to detect duplicates.
    public var duplicateWindow: RxTimeInterval

    /// Describes a stream as ``Broker/stream(_:of:subjects:keeping:replicas:duplicateWindow:)`` does.
    public init(
        _ name: String, subjects: [String]? = nil, keeping: Retention = .forever, replicas: Int = 1,
        duplicateWindow: RxTimeInterval = .seconds(120)
    ) {
        self.name = name
        self.subjects = subjects ?? [name]
        self.keeping = keeping
        self.replicas = replicas
        self.duplicateWindow = duplicateWindow
    }

    /// Throws for an invalid setting: a malformed name or subject, overlapping subjects, or a bound below 1.
    public func check() throws {
        try Name.check(name, of: "stream")
        if subjects.isEmpty { throw BrokerError.refused("stream \(name) has no subjects") }
        var patterns: [SubjectPattern] = []
        for pattern in try subjects.map(SubjectPattern.init) {
            if let other = patterns.first(where: { $0.overlaps(pattern) }) {
                throw BrokerError.refused("the subjects '\(other)' and '\(pattern)' of stream \(name) overlap")
            }
            patterns.append(pattern)
        }
        if replicas < 1 { throw BrokerError.refused("stream \(name) has \(replicas) replicas: at least 1 is needed") }
        if duplicateWindow.nanosecondsClamped <= 0 {
            throw BrokerError.refused("stream \(name) remembers no ids: its duplicateWindow must be above 0")
        }
        try keeping.check(stream: name)
    }
}

/// How long a stream retains messages. The oldest are removed first, even if a group has not received them.
public struct Retention: Sendable, Equatable {
    /// The maximum age of a message.
    public var age: RxTimeInterval?
    /// The maximum number of messages.
    public var count: Int?
    /// The maximum number of bytes of all payloads.
    public var bytes: Int?

    /// Describes how long a stream retains messages; nil means no bound.
    public init(age: RxTimeInterval? = nil, count: Int? = nil, bytes: Int? = nil) {
        self.age = age
        self.count = count
        self.bytes = bytes
    }

    /// Retains all messages for ever.
    public static let forever = Retention()

    /// Retains messages that are at most `days` days old.
    public static func days(_ days: Int) -> Retention {
        let (seconds, overflows) = days.multipliedReportingOverflow(by: 86_400)
        return Retention(age: .seconds(overflows ? (days < 0 ? .min : .max) : seconds))
    }

    /// Retains messages up to an age.
    public static func age(_ age: RxTimeInterval) -> Retention { Retention(age: age) }

    /// Retains the last `count` messages.
    public static func last(_ count: Int) -> Retention { Retention(count: count) }

    func check(stream: String) throws {
        if (age?.nanosecondsClamped ?? 1) <= 0 || (count ?? 1) < 1 || (bytes ?? 1) < 1 {
            throw BrokerError.refused("stream \(stream) retains nothing: its bounds must be above 0")
        }
    }
}

/// The description of a group by one of its members.
///
/// The member that creates the group sets ``start`` and ``filter``. A later member's start is ignored, and a later
/// member with a different filter is refused. The ``maxUnsettled`` of the latest member applies.
public struct GroupSettings: Sendable, Equatable {
    /// The name: letters, digits, `-` and `_`.
    public var name: String
    /// After this time an unsettled message of this member goes to another member, unless this member extends the
    /// deadline. On NATS all members have the longest deadline that a member has requested since the group was created.
    public var deadline: RxTimeInterval
    /// The maximum number of unsettled messages of all members together.
    public var maxUnsettled: Int
    /// Where a new group starts.
    public var start: ReplayStart
    /// The subjects that the group receives, a subset of the stream's subjects; nil for all. To change the filter,
    /// remove the group, or use another group.
    public var filter: String?

    /// Describes a group.
    public init(
        _ name: String, deadline: RxTimeInterval = .seconds(30), maxUnsettled: Int = 10_000,
        start: ReplayStart = .beginning, filter: String? = nil
    ) {
        self.name = name
        self.deadline = deadline
        self.maxUnsettled = maxUnsettled
        self.start = start
        self.filter = filter
    }

    /// Throws for an invalid setting.
    public func check() throws {
        try Name.check(name, of: "group")
        if deadline.nanosecondsClamped <= 0 { throw BrokerError.refused("group \(name) needs a deadline above 0") }
        if maxUnsettled < 1 { throw BrokerError.refused("group \(name) has maxUnsettled \(maxUnsettled), below 1") }
        if let filter { try SubjectPattern.check(filter) }
    }

    /// Throws if a member's filter differs from that of this existing group.
    package func checkFilter(of member: GroupSettings, stream: String) throws {
        switch (filter, member.filter) {
        case (nil, nil): return
        case (let filter?, let other?) where filter.hasBytes(of: other): return
        default: break
        }
        func words(_ filter: String?) -> String { filter.map { "'\($0)'" } ?? "all subjects" }
        throw BrokerError.refused(
            "group \(name) of stream \(stream) receives \(words(filter)), but is described with "
                + "\(words(member.filter)): use another group, or remove this one first")
    }

    /// Throws if the filter matches none of a stream's subjects: the group would wait for ever.
    func check(of stream: String, with subjects: [String]) throws {
        guard let filter else { return }
        let wanted = try SubjectPattern(filter)
        if try !subjects.contains(where: { try SubjectPattern($0).overlaps(wanted) }) {
            throw BrokerError.refused("'\(filter)' of group \(name) matches no subject of stream \(stream)")
        }
    }
}

/// Where a replay or a new group starts.
public enum ReplayStart: Sendable, Equatable {
    /// Starts at the oldest stored message.
    case beginning
    /// Starts at this position, or at the next stored one. If this position is in the future, a group waits for it. A
    /// replay, and a group on a NATS 2.9 server, do not wait: they start with the next message that is stored.
    case position(Position)
    /// Starts at the first message stored at this time or later; for a future time, at the next message that is stored.
    case time(RxTime)
    /// Starts after the last message that is stored when the replay or the group begins.
    case end
}
