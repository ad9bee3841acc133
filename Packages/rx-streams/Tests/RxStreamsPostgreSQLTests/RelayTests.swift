import Foundation
import RxStreams
import RxStreamsSQLite
import RxSwift
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    struct RelayTests {
        @Test func relayToSQLiteBackendsKilledCopiesEachMessageOnceInOrder() async throws {
            let server = try await TestSchema()
            let file = NSTemporaryDirectory() + "rx-relay-\(server.name).sqlite"
            let (broker, other) = (try server.broker(), try SQLiteBroker(path: file))
            let (outbox, orders) = (broker.stream("outbox", of: Int.self), other.stream("orders", of: Int.self))
            try await outbox.ensure()
            let seen = Shared<[UInt64]>([])
            let failures = Shared<[String]>([])
            let relay = outbox.relay(to: orders, as: "test", inFlight: 16).subscribe(
                onNext: { position in seen.change { $0.append(position.number) } },
                onError: { error in failures.change { $0.append("\(error)") } })
            for step in 0..<20 {
                for number in (step * 10 + 1)...(step * 10 + 10) {
                    try await server.run("SELECT @.rx_publish('outbox', $1::text, id => $1)", [.text("\(number)")])
                }
                try await server.run(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = '@' AND query NOT LIKE 'LISTEN%' ORDER BY random() LIMIT 1
                    """)
            }
            try await eventually(60) { seen.value.last == 200 || !failures.value.isEmpty }
            #expect(seen.value.last == 200)
            relay.dispose()
            let copies = try await other.driver.read("orders", from: Position(1), limit: 1_000, within: .seconds(0))
            #expect(copies.map { String(decoding: $0.message.payload, as: UTF8.self) } == (1...200).map { "\($0)" })
            #expect(failures.value == [])
            await broker.close()
            await other.close()
            await server.remove()
            for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) }
        }
    }
}
