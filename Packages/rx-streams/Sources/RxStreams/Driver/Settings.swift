public import Dispatch
public import RxSwift

/// What a stream is.
public struct StreamSettings: Sendable, Equatable {
    /// Its name: letters, digits, `-` and `_`.
    public var name: String
    /// The subjects of what it keeps; `*` stands for one word, `>` at the end for one or more.
    public var subjects: [String]
    /// How long it keeps what it has got.
    public var keeping: Retention
    /// On how many servers it is kept, where the engine has several.
    public var replicas: Int
    /// For how long an id is remembered, so that nothing is kept twice.
    public var duplicateWindow: RxTimeInterval

    /// Describes a stream.
    ///
    /// - Parameters:
    ///   - name: its name: letters, digits, `-` and `_`.
    ///   - subjects: the subjects of what it keeps; its name alone unless given.
    ///   - keeping: how long it keeps what it has got.
    ///   - replicas: on how many servers it is kept, where the engine has several.
    ///   - duplicateWindow: for how long an id is remembered.
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

    /// Refuses what makes no sense: a name or a subject that is none, two subjects that overlap, bounds below 1.
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
        if replicas < 1 { throw BrokerError.refused("stream \(name) is kept on \(replicas) servers") }
        if duplicateWindow.nanosecondsClamped <= 0 {
            throw BrokerError.refused("stream \(name) remembers no ids: its duplicateWindow has to be above 0")
        }
        try keeping.check(stream: name)
    }
}

/// How long a stream keeps what it has got. What goes is what is oldest, also where a group has not had it yet.
public struct Retention: Sendable, Equatable {
    /// How old a message may be.
    public var age: RxTimeInterval?
    /// How many messages there may be.
    public var count: Int?
    /// How many bytes of payloads there may be.
    public var bytes: Int?

    /// Describes how long a stream keeps what it has got; without a bound, for ever.
    public init(age: RxTimeInterval? = nil, count: Int? = nil, bytes: Int? = nil) {
        self.age = age
        self.count = count
        self.bytes = bytes
    }

    /// All, for ever.
    public static let forever = Retention()

    /// What is at most so many days old.
    public static func days(_ days: Int) -> Retention {
        let (seconds, overflows) = days.multipliedReportingOverflow(by: 86_400)
        return Retention(age: .seconds(overflows ? (days < 0 ? .min : .max) : seconds))
    }

    /// What is at most so old.
    public static func age(_ age: RxTimeInterval) -> Retention { Retention(age: age) }

    /// The last so many.
    public static func last(_ count: Int) -> Retention { Retention(count: count) }

    func check(stream: String) throws {
        if (age?.nanosecondsClamped ?? 1) <= 0 || (count ?? 1) < 1 || (bytes ?? 1) < 1 {
            throw BrokerError.refused("stream \(stream) keeps nothing: a bound has to be above 0")
        }
    }
}

/// What a group is, and what one of its members wants.
///
/// ``start`` and ``filter`` are those of whoever makes the group. A start that is described later is not heeded; another
/// filter is refused. ``maxUnsettled`` is that of the member who joined last. ``deadline`` is each member's own.
public struct GroupSettings: Sendable, Equatable {
    /// Its name: letters, digits, `-` and `_`.
    public var name: String
    /// How long this member has for a message until another one gets it, unless it extends that. A member that joins
    /// with a shorter one takes nothing from it. Where an engine has one deadline for all, as NATS has, that is the
    /// longest that a member has wanted since the group was made.
    public var deadline: RxTimeInterval
    /// How many messages may be unsettled in all members together.
    public var maxUnsettled: Int
    /// Where it begins when it is made.
    public var start: ReplayStart
    /// The subjects of what it gets, some of its stream's; nil for all. Another one needs another group, or this one
    /// removed before.
    public var filter: String?

    /// Describes a group.
    ///
    /// - Parameters:
    ///   - name: its name: letters, digits, `-` and `_`.
    ///   - deadline: how long a member has for a message until another one gets it.
    ///   - maxUnsettled: how many messages may be unsettled in all members together.
    ///   - start: where it begins when it is made; one that is there goes on where it is.
    ///   - filter: the subjects of what it gets; nil for all.
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

    /// Refuses what makes no sense.
    public func check() throws {
        try Name.check(name, of: "group")
        if deadline.nanosecondsClamped <= 0 { throw BrokerError.refused("group \(name) has a deadline of 0") }
        if maxUnsettled < 1 { throw BrokerError.refused("group \(name) may have \(maxUnsettled) messages unsettled") }
        if let filter { try SubjectPattern.check(filter) }
    }

    /// Refuses a member that describes another filter than this group, which is there, has: messages that one of them
    /// is to get would be passed over, or come to the other.
    package func checkFilter(of member: GroupSettings, stream: String) throws {
        switch (filter, member.filter) {
        case (nil, nil): return
        case (let filter?, let other?) where filter.hasBytes(of: other): return
        default: break
        }
        func words(_ filter: String?) -> String { filter.map { "'\($0)'" } ?? "all subjects" }
        throw BrokerError.refused(
            "group \(name) of stream \(stream) gets \(words(filter)), and is described with \(words(member.filter)): "
                + "take another group, or remove this one first")
    }

    /// Refuses a filter that lets none of a stream's subjects pass: the group would wait for ever.
    func check(of stream: String, with subjects: [String]) throws {
        guard let filter else { return }
        let wanted = try SubjectPattern(filter)
        if try !subjects.contains(where: { try SubjectPattern($0).overlaps(wanted) }) {
            throw BrokerError.refused("'\(filter)', which group \(name) wants, is no subject of stream \(stream)")
        }
    }
}

/// Where a replay or a new group begins.
public enum ReplayStart: Sendable, Equatable {
    /// With the oldest that is kept.
    case beginning
    /// With this position, or the next one that is kept. Of one that is still to come, a group waits for it (on a
    /// server of NATS 2.9 it begins with the next message), and a replay begins with the next message.
    case position(Position)
    /// With what was kept at this time or after it. Where that is still to come, with the next message, whenever that
    /// comes.
    case time(RxTime)
    /// With what is kept from now on.
    case end
}
