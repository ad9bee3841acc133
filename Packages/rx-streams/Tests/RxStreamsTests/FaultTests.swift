import RxStreams
import RxSwift
import Synchronization
import Testing

struct FaultTests {
    final class Seen: Sendable {
        private let values = Mutex<[Int]>([])
        var all: [Int] { values.withLock { $0 } }
        func add(_ value: Int) { values.withLock { $0.append(value) } }
    }

    let broker = VirtualBroker(HistoricalScheduler())

    var orders: DurableStream<Int> { broker.stream("orders", of: Int.self) }

    func publish(_ numbers: ClosedRange<Int>, inFlight: Int = 8) async throws {
        let source = Observable.from(Array(numbers))
        for try await _ in source.publish(to: orders, id: { "\($0)" }, inFlight: inFlight)
            .values(buffering: .pausing(8))
        {}
    }

    func settle(_ group: String = "g") async throws {
        while true {
            if let summary = try? await orders.summary(of: group), summary.lag == 0 { return }
            try await broker.driver.sleep(.milliseconds(100))
        }
    }

    /// Returns a broker whose members never extend deadlines, as if their process were paused.
    func neverExtending() -> OtherBroker {
        let base = broker.driver
        return OtherBroker(driver: OtherDriver(base, join: { MuteMember(try await base.join($0, of: $1)) }))
    }

    func join() async throws -> any GroupMember {
        try await broker.driver.join(GroupSettings("g", deadline: .seconds(5)), of: "orders")
    }

    func replayed() async throws -> [Int] {
        var read: [Int] = []
        for try await record in orders.replay(from: .beginning, live: false).values(buffering: .pausing(8)) {
            read.append(record.element)
        }
        return read
    }

    @Test func hangingWorkIsDetected() {
        #expect(throws: BrokerError.self) {
            try broker.run(for: .seconds(10)) { try await broker.driver.sleep(.never) }
        }
    }
}
