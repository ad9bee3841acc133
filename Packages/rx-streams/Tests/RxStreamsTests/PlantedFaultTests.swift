import RxStreams
import RxStreamsConformance
import RxSwift
import Synchronization
import Testing

/// Each fault must make a case of the conformance suite fail.
struct PlantedFaultTests {
    @Test(arguments: Fault.allCases)
    func isCaught(_ fault: Fault) throws {
        var caught: [String] = []
        for promise in ConformanceCase.all {
            let broker = VirtualBroker(HistoricalScheduler())
            let faulty = FaultyBroker(broker, fault)
            do {
                try broker.run(for: .seconds(2_000)) {
                    let world = ConformanceEnvironment(faulty, unit: .seconds(1)) {
                        FaultyBroker(broker.another(), fault)
                    }
                    try await promise.run(on: world)
                }
            } catch {
                caught.append(promise.name)
                #expect(!"\(error)".contains("it hangs"), "'\(promise)' hangs with \(fault), and says nothing")
            }
        }
        #expect(!caught.isEmpty, "no case fails with \(fault)")
        #expect(caught.count < ConformanceCase.all.count / 2, "\(fault) fails too much to show anything: \(caught)")
    }
}

enum Fault: String, CaseIterable {
    case ackTooEarly, pullTooLarge, lostRedelivery, positionOffByOne, lostVerdict, duplicateKept, headersLost
    case attemptNotCounted, pauseIgnored, extensionIgnored, filterIgnored, startIgnored, orderChanged, lastLost
    case waitsForMore, revisionIgnored, staleAccepted, leftKeepsPulling, boundIgnored
    case messagesCannotWait, valuesCannotWait, lastValueLost, pulledLost, idsAlike
    case otherFilterTaken, conflictMistaken, othersRevisionsUnseen, extensionDropped, endUnsaid
}

struct FaultyBroker: Broker {
    let driver: any LiveDriver

    init(_ broker: VirtualBroker, _ fault: Fault) {
        // With this latency, calls of different connections overlap.
        if fault == .othersRevisionsUnseen { broker.latency = .milliseconds(3) }
        driver = FaultyDriver(broker.driver, fault)
    }
}

final class FaultyDriver: ForwardingDriver {
    let base: any LiveDriver
    let fault: Fault
    /// Members that still pull after they have left.
    let left = Mutex<[any GroupMember]>([])
    /// The last revision that this connection stored in each cell, by the bytes of the cell's name.
    let revisions = Mutex<[[UInt8]: UInt64]>([:])

    init(_ base: any LiveDriver, _ fault: Fault) {
        self.base = base
        self.fault = fault
    }

    var status: Observable<BrokerStatus> {
        fault == .endUnsaid ? base.status.filter { $0 != .closed } : base.status
    }

    func append(_ messages: [NewMessage], to stream: String) async throws -> [Receipt] {
        var messages = messages
        switch fault {
        case .duplicateKept: for index in messages.indices { messages[index].id = nil }
        case .headersLost: for index in messages.indices { messages[index].headers = [:] }
        case .orderChanged: messages.reverse()
        case .lastLost: if messages.count > 150 { messages.removeLast() }
        case .idsAlike:
            for index in messages.indices {
                messages[index].id = messages[index].id.map { $0 == "caf\u{e9}" ? "caf\u{e9}" : $0 }
            }
        default: break
        }
        var receipts = try await base.append(messages, to: stream)
        if fault == .positionOffByOne {
            for index in receipts.indices { receipts[index].position.number -= 1 }
        }
        for member in left.withLock(\.self) { _ = try? await member.pull(upTo: 5, within: .nanoseconds(0)) }
        return receipts
    }

    func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember {
        var group = group
        if fault == .filterIgnored { group.filter = nil }
        if fault == .startIgnored { group.start = .beginning }
        if fault == .boundIgnored { group.maxUnsettled = 1_000 }
        do {
            return FaultyMember(try await base.join(group, of: stream), self)
        } catch BrokerError.refused where fault == .otherFilterTaken {
            try await base.remove(group: group.name, of: stream)
            return FaultyMember(try await base.join(group, of: stream), self)
        }
    }

    func messages(on pattern: String) -> Observable<NewMessage> {
        let messages = base.messages(on: pattern)
        return fault == .messagesCannotWait ? .create { messages.subscribe($0) } : messages
    }

    func values(of cell: String) -> Observable<CellValue> {
        let values = base.values(of: cell)
        return switch fault {
        case .valuesCannotWait: .create { values.subscribe($0) }
        case .lastValueLost: values.filter { $0.payload != Array("5".utf8) }
        default: values
        }
    }

    func store(_ payload: [UInt8], in cell: String, expecting revision: UInt64?) async throws -> UInt64 {
        var revision = fault == .revisionIgnored ? nil : revision
        if fault == .othersRevisionsUnseen, let expected = revision {
            let isOld = revisions.withLock { revisions in
                if let own = revisions[Array(cell.utf8)], own > expected { return true }
                revisions[Array(cell.utf8)] = expected + 1
                return false
            }
            if isOld { throw BrokerError.conflict }
            revision = nil
        }
        do {
            let stored = try await base.store(payload, in: cell, expecting: revision)
            revisions.withLock { $0[Array(cell.utf8)] = stored }
            return stored
        } catch BrokerError.conflict where fault == .conflictMistaken {
            throw BrokerError.refused("another revision")
        }
    }
}

final class FaultyMember: GroupMember {
    let base: any GroupMember
    let driver: FaultyDriver
    private let isFirst = Mutex(true)

    init(_ base: any GroupMember, _ driver: FaultyDriver) {
        self.base = base
        self.driver = driver
    }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        if driver.fault == .waitsForMore, count > 10 { try await driver.sleep(span) }
        var pulled = try await base.pull(upTo: driver.fault == .pullTooLarge ? count + 1 : count, within: span)
        switch driver.fault {
        case .ackTooEarly: try await base.settle(pulled.map { Verdict($0.token, .done) })
        case .lostRedelivery:
            let again = pulled.filter { $0.attempt > 1 }
            try await base.settle(again.map { Verdict($0.token, .done) })
            pulled.removeAll { $0.attempt > 1 }
        case .pulledLost: pulled.removeAll { $0.stored.position == Position(7) }
        case .attemptNotCounted: for index in pulled.indices { pulled[index].attempt = 1 }
        default: break
        }
        return pulled
    }

    func settle(_ verdicts: [Verdict]) async throws {
        var verdicts = verdicts
        for index in verdicts.indices {
            switch (driver.fault, verdicts[index].settlement) {
            case (.pauseIgnored, .again): verdicts[index].settlement = .again(after: .nanoseconds(0))
            case (.extensionIgnored, .extended): verdicts[index].settlement = .again(after: .nanoseconds(0))
            default: break
            }
        }
        if driver.fault == .extensionDropped { verdicts.removeAll { $0.settlement == .extended } }
        if driver.fault == .lostVerdict { verdicts = Array(verdicts.dropLast()) }
        if driver.fault == .staleAccepted, verdicts.contains(where: { $0.settlement == .givenUp }) {
            throw BrokerError.refused("given up too late")
        }
        try await base.settle(verdicts)
    }

    func leave() async {
        if driver.fault == .leftKeepsPulling { driver.left.withLock { $0.append(base) } }
        await base.leave()
    }
}
