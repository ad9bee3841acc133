@testable import RxStreams
import RxSwift
import Testing

struct DeparturesTests {
    /// A late disposal calls `leave` after `end`.
    @Test func departureAfterEndIsNotAwaited() throws {
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

    @Test func endWithoutLeaveKeepsPlaceOfLeavingMember() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            let (one, other) = (Departures.Passage(driver), Departures.Passage(driver))
            one.leave()
            other.end()
            let begun = driver.scheduler.now
            let end = Task(executorPreference: driver.executor) {
                try await driver.sleep(.seconds(2))
                one.end()
            }
            await broker.close()
            #expect(driver.scheduler.now.timeIntervalSince(begun) > 1)
            try await end.value
        }
    }
}
