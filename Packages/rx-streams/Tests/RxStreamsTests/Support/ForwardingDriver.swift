import RxStreams
import RxSwift

/// A driver that forwards every call that it does not implement to `base`.
protocol ForwardingDriver: LiveDriver {
    var base: any LiveDriver { get }
}

extension ForwardingDriver {
    var scheduler: any SchedulerType & Sendable { base.scheduler }
    var executor: (any TaskExecutor)? { base.executor }
    var status: Observable<BrokerStatus> { base.status }

    func ensure(_ stream: StreamSettings) async throws { try await base.ensure(stream) }
    func remove(stream: String) async throws { try await base.remove(stream: stream) }
    func remove(group: String, of stream: String) async throws { try await base.remove(group: group, of: stream) }
    func close() async { await base.close() }

    func append(_ messages: [NewMessage], to stream: String) async throws -> [Receipt] {
        try await base.append(messages, to: stream)
    }

    func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember {
        try await base.join(group, of: stream)
    }

    func read(_ stream: String, from position: Position, limit: Int, within span: RxTimeInterval) async throws
        -> [StoredMessage]
    {
        try await base.read(stream, from: position, limit: limit, within: span)
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
        try await base.store(payload, in: cell, expecting: revision)
    }

    func values(of cell: String) -> Observable<CellValue> { base.values(of: cell) }
}
