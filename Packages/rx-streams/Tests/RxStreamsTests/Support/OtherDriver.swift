import RxStreams
import RxSwift

struct OtherBroker: Broker {
    let driver: any LiveDriver
}

/// A driver that does as another one, but for what it is told to do in a way of its own.
final class OtherDriver: LiveDriver {
    typealias Append = @Sendable ([NewMessage], String) async throws -> [Receipt]
    typealias Join = @Sendable (GroupSettings, String) async throws -> any GroupMember
    typealias Store = @Sendable ([UInt8], String, UInt64?) async throws -> UInt64

    private let base: any LiveDriver
    private let ownAppend: Append?
    private let ownJoin: Join?
    private let ownStore: Store?
    private let reads: (@Sendable () -> Void)?

    /// - Parameter reads: told of each read that begins.
    init(
        _ base: any LiveDriver, append: Append? = nil, join: Join? = nil, store: Store? = nil,
        reads: (@Sendable () -> Void)? = nil
    ) {
        self.base = base
        ownAppend = append
        ownJoin = join
        ownStore = store
        self.reads = reads
    }

    var scheduler: any SchedulerType & Sendable { base.scheduler }
    var executor: (any TaskExecutor)? { base.executor }
    var status: Observable<BrokerStatus> { base.status }

    func ensure(_ stream: StreamSettings) async throws { try await base.ensure(stream) }
    func remove(stream: String) async throws { try await base.remove(stream: stream) }
    func remove(group: String, of stream: String) async throws { try await base.remove(group: group, of: stream) }
    func close() async { await base.close() }

    func append(_ messages: [NewMessage], to stream: String) async throws -> [Receipt] {
        if let ownAppend { return try await ownAppend(messages, stream) }
        return try await base.append(messages, to: stream)
    }

    func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember {
        if let ownJoin { return try await ownJoin(group, stream) }
        return try await base.join(group, of: stream)
    }

    func read(_ stream: String, from position: Position, limit: Int, within span: RxTimeInterval) async throws
        -> [StoredMessage]
    {
        reads?()
        return try await base.read(stream, from: position, limit: limit, within: span)
    }

    func locate(_ start: ReplayStart, in stream: String) async throws -> Position {
        try await base.locate(start, in: stream)
    }

    func summary(of stream: String) async throws -> StreamSummary { try await base.summary(of: stream) }

    func summary(of group: String, in stream: String) async throws -> GroupSummary {
        try await base.summary(of: group, in: stream)
    }

    func send(_ message: NewMessage) async throws { try await base.send(message) }
    func messages(on pattern: String) -> Observable<NewMessage> { base.messages(on: pattern) }
    func load(_ cell: String) async throws -> CellValue? { try await base.load(cell) }

    func store(_ payload: [UInt8], in cell: String, expecting revision: UInt64?) async throws -> UInt64 {
        if let ownStore { return try await ownStore(payload, cell, revision) }
        return try await base.store(payload, in: cell, expecting: revision)
    }

    func values(of cell: String) -> Observable<CellValue> { base.values(of: cell) }
}

/// A member that tells when it leaves.
final class LeavingMember: GroupMember {
    private let base: any GroupMember
    private let left: @Sendable () -> Void

    init(_ base: any GroupMember, left: @escaping @Sendable () -> Void) {
        self.base = base
        self.left = left
    }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        try await base.pull(upTo: count, within: span)
    }

    func settle(_ verdicts: [Verdict]) async throws { try await base.settle(verdicts) }

    func leave() async {
        await base.leave()
        left()
    }
}
