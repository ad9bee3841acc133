import RxStreams
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    /// A statement stores, moves or reads about 4 MiB of messages, or one larger message.
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
            // Without a reader, only this test calls `sequence`.
            try await server.run("SELECT @.rx_publish('s', $1::bytea) FROM generate_series(1, 5)", [.bytes(Self.large)])
            try await server.run("SELECT @.rx_publish('s', $1 || $1 || $1 || $1 || $1)", [.bytes(Self.large)])
            var moved: [Int64?] = []
            for _ in 0..<4 { moved.append(try await server.run("SELECT @.sequence(id) FROM @.streams").integer(0, 0)) }
            #expect(moved == [4, 1, 1, 0])
            #expect(try await broker.driver.summary(of: "s").count == 6)
            await broker.close()
            await server.remove()
        }

        private func counts(_ member: any GroupMember) async throws -> [Int] {
            var counts: [Int] = []
            while counts.reduce(0, +) < 6 {
                let pulled = try await member.pull(upTo: 10, within: .seconds(5))
                counts.append(pulled.count)
                if pulled.isEmpty { break }
            }
            return counts
        }

        private func broker(_ server: TestSchema) async throws -> PostgreSQLBroker {
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            _ = try await broker.driver.append((1...6).map { _ in NewMessage("s", Self.large) }, to: "s")
            return broker
        }

        @Test func largeMessagesOfFilteredGroupArePulledInParts() async throws {
            let server = try await TestSchema()
            let broker = try await broker(server)
            let member = try await broker.driver.join(GroupSettings("g", filter: "s"), of: "s")
            #expect(try await counts(member) == [4, 2])
            await broker.close()
            await server.remove()
        }

        /// The messages have been due for an hour. If the second pull skipped such messages, it would miss two.
        @Test(arguments: [true, false]) func largeRedeliveriesArePulledInParts(areReturned: Bool) async throws {
            let server = try await TestSchema()
            let broker = try await broker(server)
            let first = try await broker.driver.join(GroupSettings("g"), of: "s")
            var pulled: [PulledMessage] = []
            for _ in 0..<2 { pulled += try await first.pull(upTo: 10, within: .seconds(5)) }
            let verdicts = pulled.map { Verdict($0.token, .again(after: .nanoseconds(0))) }
            if areReturned { try await first.settle(verdicts) }
            try await server.run("UPDATE @.\(areReturned ? "held" : "deliveries") SET due = due - interval '1 hour'")
            let member = try await broker.driver.join(GroupSettings("g"), of: "s")
            #expect(try await counts(member) == [4, 2])
            await broker.close()
            await server.remove()
        }

        @Test func largeRedeliveriesAndNewMessagesShareTheLimit() async throws {
            let server = try await TestSchema()
            let broker = try await broker(server)
            let member = try await broker.driver.join(GroupSettings("g"), of: "s")
            let pulled = try await member.pull(upTo: 3, within: .seconds(5))
            try await member.settle(pulled.map { Verdict($0.token, .again(after: .nanoseconds(0))) })
            #expect(try await counts(member) == [4, 2])
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
