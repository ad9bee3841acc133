import RxStreams
import RxStreamsConformance
import RxSwift
import Testing

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
}
