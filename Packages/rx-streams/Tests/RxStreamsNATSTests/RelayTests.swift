import Foundation
import RxStreams
import RxStreamsPostgreSQL
import RxStreamsSQLite
import RxSwift
import Testing

@testable import RxStreamsNATS

/// Messages must arrive in order, at least once, and within the duplicate window exactly once.
@Suite(.enabled(if: !BrokerProcess.servers.isEmpty, BrokerProcess.isMissing))
struct RelayTests {
    static let postgres = ProcessInfo.processInfo.environment["RX_POSTGRES_URL"]

    private func copies(_ server: BrokerProcess) async throws -> [StoredMessage] {
        let broker = try NATSBroker.testing(server)
        var copies: [StoredMessage] = []
        while true {
            let next = copies.last?.position.next ?? Position(1)
            let more = try await broker.driver.read("orders", from: next, limit: 1_000, within: .milliseconds(500))
            if more.isEmpty { break }
            copies += more
        }
        await broker.close()
        return copies
    }

    private func numbers(_ messages: [StoredMessage]) -> [Int] {
        messages.map { Int(String(decoding: $0.message.payload, as: UTF8.self)) ?? -1 }
    }

    /// Runs four relays one after another, as if the relay's process restarted. During each relay, the NATS server is
    /// killed and restarted.
    ///
    /// - Parameters:
    ///   - source: opens the source. Its stream `outbox` receives `count` numbers while the relays run.
    ///   - disturb: makes the source fail.
    private func relayInSeveralLives(
        to server: BrokerProcess, count: Int, from source: () throws -> any Broker,
        disturb: () async throws -> Void = {}
    ) async throws {
        for life in 1...4 {
            let (broker, nats) = (try source(), try NATSBroker.testing(server))
            let seen = Seen<UInt64>()
            let failures = Seen<String>()
            let relay = broker.stream("outbox", of: Int.self).relay(
                to: nats.stream("orders", of: Int.self), as: "shop-to-nats", inFlight: 16
            ).subscribe(onNext: { seen.add($0.number) }, onError: { failures.add("\($0)") })
            let end = count * life / 4
            try await seen.wait(60) { ($0.last ?? 0) >= UInt64(end - count / 6) }
            try await server.kill9()
            try await disturb()
            try server.start()
            try await seen.wait(60) { ($0.last ?? 0) >= UInt64(end) }
            relay.dispose()
            #expect(failures.all == [])
            await broker.close()
            await nats.close()
        }
    }

    @Test(arguments: BrokerProcess.servers)
    func relayFromSQLiteServerAndRelayKilledCopiesEachMessageOnceInOrder(binary: String) async throws {
        let server = try await BrokerProcess(binary)
        let file = FileManager.default.temporaryDirectory.path + "/rx-relay-\(NATSClient.word()).sqlite"
        let outbox = try SQLiteBroker(path: file)
        try await outbox.driver.ensure(StreamSettings("outbox"))
        let publishing = Task {
            for number in 1...1_000 {
                _ = try await outbox.driver.append(
                    [NewMessage("outbox", Array("\(number)".utf8), headers: ["n": "\(number)"])], to: "outbox")
            }
        }
        try await relayInSeveralLives(to: server, count: 1_000, from: { try SQLiteBroker(path: file) })
        try await publishing.value
        let copies = try await copies(server)
        #expect(numbers(copies) == Array(1...1_000))
        #expect(copies.allSatisfy { $0.message.headers["n"] == String(decoding: $0.message.payload, as: UTF8.self) })
        #expect(Set(copies.map(\.message.id)).count == 1_000)
        await outbox.close()
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) }
    }

    @Test(arguments: BrokerProcess.servers)
    func relayKilledBeforeProgressWasStoredStoresNoMessageTwice(binary: String) async throws {
        let server = try await BrokerProcess(binary)
        let file = FileManager.default.temporaryDirectory.path + "/rx-relay-\(NATSClient.word()).sqlite"
        let (outbox, nats) = (try SQLiteBroker(path: file), try NATSBroker.testing(server))
        try await outbox.driver.ensure(StreamSettings("outbox"))
        _ = try await outbox.driver.append((1...200).map { NewMessage("outbox", Array("\($0)".utf8)) }, to: "outbox")
        let relay = outbox.stream("outbox", of: Int.self).relay(to: nats.stream("orders", of: Int.self), as: "r")
        #expect(try await relay.take(200).toArray().value.count == 200)
        _ = try await nats.driver.store(Array("101".utf8), in: "relay-r", expecting: nil)
        let again = try await relay.take(100).toArray().value
        #expect(again.map(\.number) == (101...200).map { UInt64($0) })
        #expect(numbers(try await copies(server)) == Array(1...200))
        await outbox.close()
        await nats.close()
        for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) }
    }

    @Test(
        .enabled(if: RelayTests.postgres != nil, "there is no server: scripts/test-postgres.sh sets RX_POSTGRES_URL"),
        arguments: BrokerProcess.servers)
    func relayFromPostgreSQLServersAndRelayKilledCopiesEachMessageOnceInOrder(binary: String) async throws {
        let server = try await BrokerProcess(binary)
        let url = try #require(Self.postgres)
        let schema = "relay_" + NATSClient.word().lowercased().filter(\.isLetter)
        let outbox = try PostgreSQLBroker(url, schema: schema)
        let stream = outbox.stream("outbox", of: Int.self)
        try await stream.ensure()
        let publishing = Task {
            for number in 1...600 {
                if number % 5 == 0 {
                    try? await outbox.transaction { transaction in
                        try await stream.publish(-number, in: transaction)
                        throw CancellationError()
                    }
                }
                try await outbox.transaction { transaction in
                    try await stream.publish(number, id: "o-\(number)", in: transaction)
                }
            }
        }
        let name = "\(schema)_relay"
        try await relayInSeveralLives(
            to: server, count: 600, from: { try PostgreSQLBroker(url + "?application_name=\(name)", schema: schema) },
            disturb: {
                _ = try await outbox.transaction { transaction in
                    try await transaction.run(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
                        [.text(name)])
                }
            })
        try await publishing.value
        let copies = try await copies(server)
        #expect(numbers(copies) == Array(1...600))
        #expect(copies.map(\.message.id) == (1...600).map { "o-\($0)" })
        _ = try await outbox.transaction { transaction in try await transaction.run("DROP SCHEMA \(schema) CASCADE") }
        await outbox.close()
    }
}
