import RxStreams
import RxSwift
import Synchronization
import Testing

@testable import RxStreamsSQLite

struct RelayTests {
    private let folders: (Folder, Folder)
    private let source: DurableStream<Int>
    private let target: DurableStream<Int>
    private let brokers: [SQLiteBroker]

    init() throws {
        folders = (try Folder(), try Folder())
        brokers = [try SQLiteBroker(path: folders.0.file), try SQLiteBroker(path: folders.1.file)]
        source = brokers[0].stream("outbox", of: Int.self, subjects: ["outbox.*"])
        target = brokers[1].stream("orders", of: Int.self, subjects: ["orders.*", "outbox.kept"])
    }

    private func publish(_ numbers: ClosedRange<Int>, subject: String = "outbox.x") async throws {
        try await source.ensure()
        _ = try await brokers[0].driver.append(
            numbers.map { NewMessage(subject, Array("\($0)".utf8), headers: ["n": "\($0)"]) }, to: "outbox")
    }

    /// Relays until the target has stored `count` messages, or recognised them as duplicates.
    private func relay(_ count: Int, inFlight: Int = 64) async throws {
        let copied = source.relay(to: target, as: "test", inFlight: inFlight).take(count).toArray()
        #expect(try await copied.value.count == count)
    }

    private func copies() async throws -> [StoredMessage] {
        try await brokers[1].driver.read("orders", from: Position(1), limit: 10_000, within: .seconds(0))
    }

    private func numbers() async throws -> [Int] {
        try await copies().map { Int(String(decoding: $0.message.payload, as: UTF8.self)) ?? -1 }
    }

    @Test func relayCopiesPayloadHeadersAndIDInOrder() async throws {
        try await publish(1...300)
        _ = try await brokers[0].driver.append([NewMessage("outbox.kept", [51], id: "own")], to: "outbox")
        try await relay(301)
        #expect(try await numbers() == Array(1...300) + [3])
        let copies = try await copies()
        #expect(copies[0].message.subject == "orders.all")
        #expect(copies[0].message.headers == ["n": "1"])
        #expect(copies[300].message == NewMessage("outbox.kept", [51], id: "own"))
        #expect(Set(copies.map(\.message.id)).count == 301)
    }

    @Test func relayStoppedContinuesBehindItsLastBatch() async throws {
        try await publish(1...200)
        try await relay(70)
        try await publish(201...300)
        // The first relay may have stored one more batch after its stop. The target recognises the ids of this batch.
        let done = try #require(try await brokers[1].driver.load("relay-test"))
        let next = try #require(Int(String(decoding: done.payload, as: UTF8.self)))
        #expect(next > 64)
        try await relay(301 - next)
        #expect(try await numbers() == Array(1...300))
    }

    @Test func relayKilledBeforeProgressWasStoredStoresNoMessageTwice() async throws {
        try await publish(1...200)
        try await relay(200)
        _ = try await brokers[1].driver.store(Array("101".utf8), in: "relay-test", expecting: nil)
        try await relay(100)
        #expect(try await numbers() == Array(1...200))
    }

    @Test func twoRelaysOfOneNameStoreEachMessageOnceInOrder() async throws {
        let both = Observable.merge(
            source.relay(to: target, as: "test", inFlight: 7), source.relay(to: target, as: "test", inFlight: 11))
        let highest = Mutex(UInt64(0))
        let running = both.subscribe(onNext: { position in highest.withLock { $0 = max($0, position.number) } })
        for start in stride(from: 1, through: 901, by: 100) { try await publish(start...(start + 99)) }
        while highest.withLock({ $0 < 1_000 }) { await Task.yield() }
        running.dispose()
        #expect(try await numbers() == Array(1...1_000))
    }

    @Test func relayOfStreamCreatedAgainIsRefused() async throws {
        try await publish(1...20)
        try await relay(20)
        try await source.remove()
        try await publish(1...5)
        await #expect(throws: BrokerError.self) { try await relay(1) }
        #expect(try await numbers() == Array(1...20))
    }
}
