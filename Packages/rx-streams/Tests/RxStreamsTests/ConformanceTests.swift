import RxStreams
import RxSwift
import Testing

@testable import RxStreamsConformance

struct ConformanceTests {
    @Test(arguments: ConformanceCase.all)
    func virtualBrokerKeepsContract(_ promise: ConformanceCase) throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            try await promise.run(on: ConformanceEnvironment(broker, unit: .seconds(1)) { broker.another() })
        }
    }

    @Test(arguments: ConformanceCase.all)
    func virtualBrokerWithLatencyKeepsContract(_ promise: ConformanceCase) throws {
        let broker = VirtualBroker(HistoricalScheduler())
        broker.latency = .milliseconds(3)
        try broker.run {
            try await promise.run(on: ConformanceEnvironment(broker, unit: .seconds(1)) { broker.another() })
        }
    }

    @Test(arguments: ConformanceCase.all)
    func driverDeliveringInPiecesKeepsContract(_ promise: ConformanceCase) throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let world = ConformanceEnvironment(PiecemealBroker(broker), unit: .seconds(1)) {
                PiecemealBroker(broker.another())
            }
            try await promise.run(on: world)
        }
    }

    @Test func lateRejectionLeavesMessageToCurrentHolder() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let world = ConformanceEnvironment(broker, unit: .seconds(1)) { broker.another() }
            let stream = try await world.stream()
            try await world.append([1], to: stream)
            let member = try await world.driver.join(world.group(), of: stream.name)
            let (first, second) = (try await world.pull(1, from: member), try await world.pull(1, from: member))
            try await member.settle([Verdict(first[0].token, .givenUp)])
            try await member.settle([Verdict(second[0].token, .again(after: .nanoseconds(0)))])
            let third = try await world.pull(1, from: member)
            #expect(third.map(\.attempt) == [3])
            await member.leave()
        }
    }
}

/// A broker whose members return at most two messages with each pull.
private struct PiecemealBroker: Broker {
    let driver: any LiveDriver

    init(_ broker: VirtualBroker) {
        driver = PiecemealDriver(broker.driver)
    }
}

private final class PiecemealDriver: ForwardingDriver {
    let base: any LiveDriver

    init(_ base: any LiveDriver) {
        self.base = base
    }

    func join(_ group: GroupSettings, of stream: String) async throws -> any GroupMember {
        PiecemealMember(try await base.join(group, of: stream))
    }
}

private final class PiecemealMember: GroupMember {
    let base: any GroupMember

    init(_ base: any GroupMember) {
        self.base = base
    }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        try await base.pull(upTo: min(count, 2), within: span)
    }

    func settle(_ verdicts: [Verdict]) async throws { try await base.settle(verdicts) }
    func leave() async { await base.leave() }
}
