import Foundation
import RxSwift
import Synchronization

final class VirtualDriver: LiveDriver, StreamTelling {
    struct Faults {
        var latency = RxTimeInterval.nanoseconds(0)
        var lostReceipts = 0
        var lostVerdicts = 0
        var duplicates = 0
        var disconnections = 0
        var isClosed = false
    }

    let engine: VirtualEngine
    let time: VirtualTime
    let faults = Mutex(Faults())
    private let id = UUID()
    private let state = BehaviorSubject(value: BrokerStatus.connected(server: "virtual"))

    init(_ engine: VirtualEngine, _ time: VirtualTime) {
        self.engine = engine
        self.time = time
    }

    var scheduler: any SchedulerType & Sendable { time.scheduler }
    var executor: (any TaskExecutor)? { time }
    var status: Observable<BrokerStatus> { state.asObservable() }

    private var now: RxTime { scheduler.now }

    func disconnect(for span: RxTimeInterval) {
        faults.withLock { $0.disconnections += 1 }
        state.onNext(.connecting(attempt: 1, why: "disconnected by the test"))
        engine.signal.send()
        _ = scheduler.scheduleRelative((), dueTime: span) { [self] in
            let isWell = faults.withLock { faults in
                faults.disconnections -= 1
                return faults.disconnections == 0 && !faults.isClosed
            }
            if isWell {
                state.onNext(.connected(server: "virtual"))
                engine.signal.send()
            }
            return Disposables.create()
        }
    }

    private func check() throws {
        let (isClosed, isCut) = faults.withLock { ($0.isClosed, $0.disconnections > 0) }
        if isClosed { throw BrokerError.closed }
        if isCut { throw BrokerError.unavailable("disconnected by the test") }
    }

    private func travel() async throws {
        try check()
        let latency = faults.withLock { $0.latency }
        if latency.nanosecondsClamped > 0 {
            try await sleep(latency)
            try check()
        }
    }

    private func takes(_ fault: WritableKeyPath<Faults, Int>) -> Bool {
        faults.withLock { faults in
            guard faults[keyPath: fault] > 0 else { return false }
            faults[keyPath: fault] -= 1
            return true
        }
    }

    // MARK: Streams

    func ensure(_ stream: StreamSettings) async throws {
        try await travel()
        try engine.change { try $0.ensure(stream) }
    }

    func remove(stream: String) async throws {
        try await travel()
        try engine.change { $0.streams[stream] = nil }
    }

    func append(_ messages: [NewMessage], to stream: String) async throws -> [Receipt] {
        try await travel()
        let now = now
        let receipts = try engine.change { try $0.append(messages, to: stream, at: now) }
        if takes(\.lostReceipts) { throw BrokerError.unavailable("the receipt was lost by the test") }
        return receipts
    }

    func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember {
        try group.check()
        try await travel()
        let now = now
        try engine.change { try $0.ensure(group, of: stream, at: now) }
        return VirtualMember(self, stream, group)
    }

    func remove(group: String, of stream: String) async throws {
        try await travel()
        try engine.change { $0.streams[stream]?.groups[group] = nil }
    }

    func read(_ stream: String, from position: Position, limit: Int, within span: RxTimeInterval) async throws
        -> [StoredMessage]
    {
        try await read(stream, identity: nil, from: position, limit: limit, within: span)
    }

    func read(
        _ stream: String, identity: Int64?, from position: Position, limit: Int, within span: RxTimeInterval
    ) async throws -> [StoredMessage] {
        guard limit >= 1 else { throw BrokerError.refused("\(limit) messages cannot be read") }
        try await travel()
        return try await first(within: span) {
            let now = now
            return try engine.quietly { state in
                let kept = try state.stream(stream, at: now)
                if let identity, kept.identity != identity { throw BrokerError.missing("stream \(stream)") }
                return kept.messages.lazy.filter { $0.position >= position }.prefix(limit).map(\.stored)
            }
        } due: {
            nil
        }
    }

    func locate(_ start: ReplayStart, in stream: String) async throws -> Position {
        try await find(start, in: stream).position
    }

    func find(_ start: ReplayStart, in stream: String) async throws -> (position: Position, identity: Int64) {
        try await travel()
        let now = now
        return try engine.quietly { state in
            let stream = try state.stream(stream, at: now)
            return (min(stream.position(of: start), stream.last.next), stream.identity)
        }
    }

    func summary(of stream: String) async throws -> StreamSummary {
        try await travel()
        let now = now
        return try engine.quietly { state in
            let stream = try state.stream(stream, at: now)
            return StreamSummary(
                first: stream.position(of: .beginning), last: stream.last, count: stream.messages.count)
        }
    }

    func summary(of group: String, in name: String) async throws -> GroupSummary {
        try await travel()
        let now = now
        return try engine.quietly { state in
            let stream = try state.stream(name, at: now)
            guard let group = stream.groups[group] else {
                throw BrokerError.missing("group \(group) of stream \(name)")
            }
            let filter = try group.settings.filter.map(SubjectPattern.init)
            let waiting = stream.messages.count {
                $0.position >= group.next && filter?.matches($0.message.subject) ?? true
            }
            return GroupSummary(waiting: waiting, unsettled: group.pending.count)
        }
    }

    func close() async {
        let (isFirst, isCut) = faults.withLock { faults in
            defer { faults.isClosed = true }
            return (!faults.isClosed, faults.disconnections > 0)
        }
        guard isFirst else { return }
        // Without a connection, messages are delivered again only after their deadlines.
        if !isCut {
            let now = now
            try? engine.change { $0.handBack(from: id, at: now) }
        }
        state.onNext(.closed)
        state.onCompleted()
    }

    // MARK: Members

    func pull(_ count: Int, _ group: GroupSettings, of stream: String, within span: RxTimeInterval) async throws
        -> [PulledMessage]
    {
        guard count >= 1 else { throw BrokerError.refused("\(count) messages cannot be pulled") }
        try await travel()
        return try await first(within: span) {
            try take(count, group, stream)
        } due: {
            try? engine.look { $0.nextDue(group.name, of: stream) }
        }
    }

    private func take(_ count: Int, _ group: GroupSettings, _ stream: String) throws -> [PulledMessage] {
        let now = now
        var again: [Verdict] = []
        let pulled = try engine.quietly { try $0.pull(count, group, of: stream, by: id, at: now) }
        for message in pulled where takes(\.duplicates) {
            again.append(Verdict(message.token, .again(after: .nanoseconds(0))))
        }
        if !again.isEmpty { try engine.change { try $0.settle(again, group, of: stream, at: now) } }
        return pulled
    }

    func settle(_ verdicts: [Verdict], _ group: GroupSettings, of stream: String) async throws {
        try await travel()
        let now = now
        let told = verdicts.filter { _ in !takes(\.lostVerdicts) }
        try engine.change { try $0.settle(told, group, of: stream, at: now) }
    }

    private func first<Value: Sendable>(
        within span: RxTimeInterval, _ look: () throws -> [Value], due: () -> RxTime?
    ) async throws -> [Value] {
        let end = now.addingTimeInterval(span.inSeconds)
        while true {
            try Task.checkCancellation()
            try check()
            let seen = engine.signal.count
            let found = try look()
            let now = now
            if !found.isEmpty || now >= end { return found }
            let wake = min(end, due() ?? end)
            let pause = max(Int(wake.timeIntervalSince(now) * 1e9), 1_000_000)
            await engine.signal.wait(after: seen, atMost: .nanoseconds(pause), on: scheduler)
        }
    }

    // MARK: Live

    func send(_ message: NewMessage) async throws {
        try await travel()
        engine.live.onNext(message)
    }

    func messages(on pattern: String) -> Observable<NewMessage> {
        Observable.deferred { [self] in
            let pattern = try SubjectPattern(pattern)
            if faults.withLock({ $0.isClosed }) { return .empty() }
            return engine.live
                .filter { [self] in pattern.matches($0.subject) && faults.withLock { $0.disconnections == 0 } }
                .take(until: state.filter { $0 == .closed })
                .waitingForRoom()
        }
    }

    func load(_ cell: String) async throws -> CellValue? {
        try await travel()
        return try engine.look { $0.cells[Array(cell.utf8)] }
    }

    func store(_ payload: [UInt8], in cell: String, expecting revision: UInt64?) async throws -> UInt64 {
        try await travel()
        return try engine.change { state in
            let present = state.cells[Array(cell.utf8)]?.revision ?? 0
            if let revision, revision != present { throw BrokerError.conflict }
            state.cells[Array(cell.utf8)] = CellValue(payload, revision: present + 1)
            return present + 1
        }
    }

    func values(of cell: String) -> Observable<CellValue> {
        let name = Array(cell.utf8)
        return feeding { [self] observer in
            var last: UInt64 = 0
            // Closing cancels the task. The loop then ends without an error, so that the sequence completes.
            while !Task.isCancelled {
                let seen = engine.signal.count
                if faults.withLock({ $0.isClosed }) { return }
                if faults.withLock({ $0.disconnections == 0 }), let value = try engine.look({ $0.cells[name] }),
                    value.revision > last
                {
                    last = value.revision
                    do { try await observer.send(value) } catch is CancellationError { return }
                } else {
                    await engine.signal.wait(after: seen, atMost: .never, on: scheduler)
                }
            }
        }
    }
}

final class VirtualMember: GroupMember {
    private let driver: VirtualDriver
    private let stream: String
    private let group: GroupSettings

    init(_ driver: VirtualDriver, _ stream: String, _ group: GroupSettings) {
        self.driver = driver
        self.stream = stream
        self.group = group
    }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        try await driver.pull(count, group, of: stream, within: span)
    }

    func settle(_ verdicts: [Verdict]) async throws {
        try await driver.settle(verdicts, group, of: stream)
    }

    func leave() async {}
}
