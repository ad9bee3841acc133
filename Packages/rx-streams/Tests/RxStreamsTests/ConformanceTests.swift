import RxStreams
import RxSwift
import Testing

@testable import RxStreamsConformance

struct ConformanceTests {
    @Test(arguments: ConformanceCase.all)
    func theVirtualBrokerKeeps(_ promise: ConformanceCase) throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            try await promise.run(on: ConformanceEnvironment(broker, unit: .seconds(1)) { broker.another() })
        }
    }

    @Test(arguments: ConformanceCase.all)
    func theVirtualBrokerKeepsWhereCallsTakeTime(_ promise: ConformanceCase) throws {
        let broker = VirtualBroker(HistoricalScheduler())
        broker.latency = .milliseconds(3)
        try broker.run {
            try await promise.run(on: ConformanceEnvironment(broker, unit: .seconds(1)) { broker.another() })
        }
    }

    @Test func whoGivesUpTooLateLeavesTheMessageToWhoHasItByNow() throws {
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
