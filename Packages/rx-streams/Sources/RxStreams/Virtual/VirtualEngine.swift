import Foundation
import RxSwift
import Synchronization

/// The store that all connections of a ``VirtualBroker`` share.
///
/// Guards: `state` is protected by its lock. `signal` is sent after each change, outside of the lock.
final class VirtualEngine: Sendable {
    @dynamicMemberLookup struct Kept {
        let stored: StoredMessage
        /// The message's number among all messages of the engine. Unlike its position, it is never used again.
        let serial: UInt64

        subscript<Value>(dynamicMember path: KeyPath<StoredMessage, Value>) -> Value { stored[keyPath: path] }
    }

    struct Pending {
        /// The message's number; see `Kept`.
        let serial: UInt64
        var attempt: Int
        /// The time from which the message may be delivered again.
        var due: RxTime
        /// The connection that has the message; nil if it has been handed back.
        var holder: UUID?
    }

    struct Group {
        var settings: GroupSettings
        /// The first position that has never been delivered.
        var next: Position
        var pending: [Position: Pending] = [:]
    }

    struct Stream {
        var settings: StreamSettings
        /// Distinguishes the stream from earlier ones of the same name.
        let identity: Int64
        var messages: [Kept] = []
        var last = Position(0)
        /// The stored ids, as bytes, because engines compare ids by their bytes.
        var ids: [[UInt8]: (position: Position, time: RxTime)] = [:]
        var groups: [String: Group] = [:]
    }

    struct State {
        var streams: [String: Stream] = [:]
        var made: Int64 = 0
        /// The number of messages that were stored, including lost ones.
        var stored: UInt64 = 0
        var cells: [[UInt8]: CellValue] = [:]
    }

    let signal = AsyncSignal()
    let live = PublishSubject<NewMessage>()
    private let state = Mutex(State())

    func change<Value>(_ body: (inout State) throws -> sending Value) throws -> sending Value {
        let value = try state.withLock(body)
        signal.send()
        return value
    }

    /// Changes the state without waking tasks.
    func quietly<Value>(_ body: (inout State) throws -> sending Value) throws -> sending Value {
        try state.withLock(body)
    }

    func look<Value>(_ body: (State) throws -> sending Value) throws -> sending Value {
        try state.withLock { try body($0) }
    }

    func forget(_ count: Int, of name: String) {
        try? change { state in
            guard var stream = state.streams[name] else { return }
            let lost = stream.messages.suffix(max(count, 0))
            guard let first = lost.first?.position else { return }
            stream.messages.removeLast(lost.count)
            let last = Position(first.number - 1)
            stream.last = last
            stream.ids = stream.ids.filter { $0.value.position <= last }
            stream.groups = stream.groups.mapValues { group in
                var group = group
                group.next = min(group.next, last.next)
                group.pending = group.pending.filter { $0.key <= last }
                return group
            }
            state.streams[name] = stream
        }
    }
}

extension VirtualEngine.State {
    mutating func ensure(_ settings: StreamSettings) throws {
        try settings.check()
        let patterns = try settings.subjects.map(SubjectPattern.init)
        for (name, other) in streams where name != settings.name {
            for theirs in try other.settings.subjects.map(SubjectPattern.init) {
                if let mine = patterns.first(where: { $0.overlaps(theirs) }) {
                    throw BrokerError.refused("the subject '\(mine)' belongs to stream \(name)")
                }
            }
        }
        if streams[settings.name] == nil { made += 1 }
        streams[settings.name, default: .init(settings: settings, identity: made)].settings = settings
    }

    /// Creates a group, or changes an existing one to these settings, except for its start.
    mutating func ensure(_ group: GroupSettings, of name: String, at now: RxTime) throws {
        let stream = try stream(name, at: now)
        try stream.groups[group.name]?.settings.checkFilter(of: group, stream: name)
        let start = stream.position(of: group.start)
        streams[name]?.groups[group.name, default: .init(settings: group, next: start)].settings = group
    }

    func stream(_ name: String) throws -> VirtualEngine.Stream {
        guard let stream = streams[name], stream.settings.name.hasBytes(of: name) else {
            throw BrokerError.missing("stream \(name)")
        }
        return stream
    }

    /// Removes the messages of a stream that have expired at `now`, and returns the stream.
    mutating func stream(_ name: String, at now: RxTime) throws -> VirtualEngine.Stream {
        streams[name]?.keep(now)
        return try stream(name)
    }

    mutating func append(_ messages: [NewMessage], to name: String, at now: RxTime) throws -> [Receipt] {
        var stream = try stream(name)
        let patterns = try stream.settings.subjects.map(SubjectPattern.init)
        for message in messages {
            try SubjectPattern.checkSubject(message.subject)
            if !patterns.contains(where: { $0.matches(message.subject) }) {
                throw BrokerError.refused("the subject '\(message.subject)' does not belong to stream \(name)")
            }
            if let most = stream.settings.keeping.bytes, message.payload.count > most {
                throw BrokerError.refused(
                    "stream \(name) retains at most \(most) bytes, and a message has \(message.payload.count)")
            }
        }
        let window = stream.settings.duplicateWindow.inSeconds
        let receipts = messages.map { message in
            let id = message.id.map { Array($0.utf8) }
            if let id, let known = stream.ids[id], now.timeIntervalSince(known.time) < window {
                return Receipt(known.position, isDuplicate: true)
            }
            stream.last = stream.last.next
            stored += 1
            stream.messages.append(.init(stored: StoredMessage(stream.last, now, message), serial: stored))
            if let id { stream.ids[id] = (stream.last, now) }
            return Receipt(stream.last)
        }
        stream.keep(now)
        streams[name] = stream
        return receipts
    }

    mutating func pull(
        _ count: Int, _ group: GroupSettings, of name: String, by holder: UUID, at now: RxTime
    ) throws -> [PulledMessage] {
        let (group, deadline) = (group.name, group.deadline)
        var stream = try stream(name, at: now)
        guard var state = stream.groups[group] else { throw BrokerError.missing("group \(group) of stream \(name)") }
        let filter = try state.settings.filter.map(SubjectPattern.init)
        var pulled: [PulledMessage] = []
        let due = now.addingTimeInterval(deadline.inSeconds)
        func deliver(_ message: VirtualEngine.Kept, _ attempt: Int) {
            let (position, serial) = (message.position, message.serial)
            state.pending[position] = .init(serial: serial, attempt: attempt, due: due, holder: holder)
            var delivery = PulledMessage(
                message.stored, attempt: attempt, token: MessageToken("\(position).\(attempt).\(serial)"))
            delivery.serial = serial
            pulled.append(delivery)
        }
        let isKept = Dictionary(uniqueKeysWithValues: stream.messages.map { ($0.position, $0) })
        for (position, pending) in state.pending.sorted(by: { $0.key < $1.key }) {
            guard let message = isKept[position] else {
                state.pending[position] = nil
                continue
            }
            if pulled.count < count, pending.due <= now { deliver(message, pending.attempt + 1) }
        }
        for message in stream.messages where message.position >= state.next {
            guard pulled.count < count, state.pending.count < state.settings.maxUnsettled else { break }
            state.next = message.position.next
            if filter?.matches(message.message.subject) ?? true { deliver(message, 1) }
        }
        stream.groups[group] = state
        streams[name] = stream
        return pulled
    }

    mutating func settle(_ verdicts: [Verdict], _ group: GroupSettings, of name: String, at now: RxTime) throws {
        let (group, deadline) = (group.name, group.deadline)
        guard var state = try stream(name).groups[group] else {
            throw BrokerError.missing("group \(group) of stream \(name)")
        }
        for verdict in verdicts {
            let parts = verdict.token.value.split(separator: ".").compactMap { UInt64($0) }
            guard parts.count == 3 else { throw BrokerError.refused("'\(verdict.token.value)' is not a token") }
            let position = Position(parts[0])
            // If the message was lost, the position may belong to another one.
            guard let pending = state.pending[position], pending.serial == parts[2] else { continue }
            let isLate = pending.attempt != Int(parts[1])
            switch verdict.settlement {
            case .done: state.pending[position] = nil
            // A late verdict must not affect a message that another member has.
            case .givenUp: if !isLate { state.pending[position] = nil }
            case .again(let pause):
                if !isLate {
                    let due = now.addingTimeInterval(pause.inSeconds)
                    state.pending[position] = .init(serial: pending.serial, attempt: pending.attempt, due: due)
                }
            case .extended:
                if !isLate { state.pending[position]?.due = now.addingTimeInterval(deadline.inSeconds) }
            }
        }
        streams[name]?.groups[group] = state
    }

    mutating func handBack(from holder: UUID, at now: RxTime) {
        for (name, stream) in streams {
            for (group, state) in stream.groups {
                for (position, pending) in state.pending where pending.holder == holder {
                    streams[name]?.groups[group]?.pending[position] = .init(
                        serial: pending.serial, attempt: pending.attempt, due: now)
                }
            }
        }
    }

    func nextDue(_ group: String, of name: String) -> RxTime? {
        streams[name]?.groups[group]?.pending.values.map(\.due).min()
    }
}

extension VirtualEngine.Stream {
    mutating func keep(_ now: RxTime) {
        if let count = settings.keeping.count, messages.count > count { messages.removeFirst(messages.count - count) }
        if let age = settings.keeping.age?.inSeconds {
            messages.removeAll { now.timeIntervalSince($0.time) > age }
        }
        if let bytes = settings.keeping.bytes {
            var size = messages.reduce(0) { $0 + $1.message.payload.count }
            while size > bytes, let first = messages.first {
                size -= first.message.payload.count
                messages.removeFirst()
            }
        }
    }

    /// Returns the position of `start`, which may be after the stream's end.
    func position(of start: ReplayStart) -> Position {
        let first = messages.first?.position ?? last.next
        return switch start {
        case .beginning: first
        case .position(let position): max(first, position)
        case .time(let time): messages.first { $0.time >= time }?.position ?? last.next
        case .end: last.next
        }
    }
}
