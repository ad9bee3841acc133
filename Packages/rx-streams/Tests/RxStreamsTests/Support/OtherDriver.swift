import RxStreams
import RxSwift

struct OtherBroker: Broker {
    let driver: any LiveDriver
}

final class OtherDriver: ForwardingDriver {
    typealias Append = @Sendable ([NewMessage], String) async throws -> [Receipt]
    typealias Join = @Sendable (GroupSettings, String) async throws -> any GroupMember
    typealias Store = @Sendable ([UInt8], String, UInt64?) async throws -> UInt64

    let base: any LiveDriver
    private let ownAppend: Append?
    private let ownJoin: Join?
    private let ownStore: Store?
    private let ensures: (@Sendable (StreamSettings) -> Void)?
    private let reads: (@Sendable () -> Void)?

    init(
        _ base: any LiveDriver, append: Append? = nil, join: Join? = nil, store: Store? = nil,
        ensures: (@Sendable (StreamSettings) -> Void)? = nil, reads: (@Sendable () -> Void)? = nil
    ) {
        self.base = base
        ownAppend = append
        ownJoin = join
        ownStore = store
        self.ensures = ensures
        self.reads = reads
    }

    func ensure(_ stream: StreamSettings) async throws {
        ensures?(stream)
        try await base.ensure(stream)
    }

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

    func store(_ payload: [UInt8], in cell: String, expecting revision: UInt64?) async throws -> UInt64 {
        if let ownStore { return try await ownStore(payload, cell, revision) }
        return try await base.store(payload, in: cell, expecting: revision)
    }
}

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

final class RefusingMember: GroupMember {
    private let base: any GroupMember
    private let refusal: BrokerError

    init(_ base: any GroupMember, _ refusal: BrokerError) {
        self.base = base
        self.refusal = refusal
    }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        try await base.pull(upTo: count, within: span)
    }

    func settle(_ verdicts: [Verdict]) async throws { throw refusal }
    func leave() async { await base.leave() }
}

final class MuteMember: GroupMember {
    private let base: any GroupMember

    init(_ base: any GroupMember) { self.base = base }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        try await base.pull(upTo: count, within: span)
    }

    func settle(_ verdicts: [Verdict]) async throws {
        try await base.settle(verdicts.filter { $0.settlement != .extended })
    }

    func leave() async { await base.leave() }
}

final class LongMember: GroupMember {
    private let base: any GroupMember
    let deadlineInForce: RxTimeInterval?

    init(_ base: any GroupMember, _ deadlineInForce: RxTimeInterval) {
        (self.base, self.deadlineInForce) = (base, deadlineInForce)
    }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        try await base.pull(upTo: count, within: span)
    }

    func settle(_ verdicts: [Verdict]) async throws { try await base.settle(verdicts) }
    func leave() async { await base.leave() }
}
