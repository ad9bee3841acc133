@testable import RxStreams
import RxSwift
import Testing

struct DeparturesTests {
    /// As where a task ends before its pipeline has been told by what it is disposed of.
    @Test func whoLeavesBehindHisEndIsWaitedForByNobody() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let passage = Departures.Passage(broker.driver)
            passage.end()
            passage.leave()
            let begun = broker.driver.scheduler.now
            await broker.close()
            #expect(broker.driver.scheduler.now.timeIntervalSince(begun) < 1)
        }
    }
}
