import RxStreams
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    /// A statement has a limited time, and an array a limited size. So a statement sends, moves or reads at most 4 MiB
    /// of payload.
    struct SizeTests {
        private static let large = [UInt8](repeating: 120, count: 1 << 20)

        @Test func largeMessagesAreStoredWithSeveralStatements() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            let messages = (1...6).map { NewMessage("s", Self.large, id: "\(($0 - 1) % 5)") }
            let receipts = try await broker.driver.append(messages, to: "s")
            #expect(receipts.map(\.position.number) == [1, 2, 3, 4, 5, 1])
            #expect(receipts.map(\.isDuplicate) == [false, false, false, false, false, true])
            #expect(try await server.run("SELECT count(DISTINCT xmin::text) FROM @.messages").integer(0, 0) == 2)
            await broker.close()
            await server.remove()
        }

        @Test func largeMessagesOfTransactionGetPositionsInParts() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            // No reader runs, so only this test calls `sequence`, which moves messages from `inbox` to `messages`.
            try await server.run("SELECT @.rx_publish('s', $1::bytea) FROM generate_series(1, 5)", [.bytes(Self.large)])
            try await server.run("SELECT @.rx_publish('s', $1 || $1 || $1 || $1 || $1)", [.bytes(Self.large)])
            var moved: [Int64?] = []
            for _ in 0..<4 { moved.append(try await server.run("SELECT @.sequence(id) FROM @.streams").integer(0, 0)) }
            #expect(moved == [4, 1, 1, 0])
            #expect(try await broker.driver.summary(of: "s").count == 6)
            await broker.close()
            await server.remove()
        }

        @Test func largeLiveMessagesAreReadInParts() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            for _ in 0..<5 { try await broker.driver.send(NewMessage("live", Self.large)) }
            let first = try await broker.postgres.liveMessages(after: 0)
            #expect((0..<first.count).map { first.integer($0, 0) } == [1, 2, 3, 4])
            #expect(try await broker.postgres.liveMessages(after: 4).count == 1)
            await broker.close()
            await server.remove()
        }
    }
}
