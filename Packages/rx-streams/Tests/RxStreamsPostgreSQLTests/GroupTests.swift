import RxStreams
import RxSwift
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    /// The tables of unsettled messages.
    struct GroupTests {
        private func fill(_ broker: PostgreSQLBroker, _ count: Int) async throws {
            try await broker.driver.ensure(StreamSettings("s"))
            _ = try await broker.driver.append(
                (1...count).map { NewMessage("s", Array("\($0)".utf8)) }, to: "s")
        }

        private func handle(_ count: Int, by member: any GroupMember, at once: Int) async throws {
            var handled = 0
            while handled < count {
                let pulled = try await member.pull(upTo: min(once, count - handled), within: .seconds(5))
                try #require(!pulled.isEmpty)
                try await member.settle(pulled.map { Verdict($0.token, .done) })
                handled += pulled.count
            }
        }

        private func held(_ server: TestSchema) async throws -> [Int64?] {
            let rows = try await server.run("SELECT position FROM @.held ORDER BY 1")
            return (0..<rows.count).map { rows.integer($0, 0) }
        }

        /// The server cannot remove dead rows until the snapshot ends, so pulls must not read them.
        @Test func groupSnapshotHeldPullsReadNoDeadRows() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            let count = 3_000
            try await fill(broker, count)
            // The deadlines of all handled messages have passed.
            let member = try await broker.driver.join(GroupSettings("g", deadline: .milliseconds(1)), of: "s")
            let holder = try await TestSchema.connect(server.url)
            try await holder.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1", within: .seconds(10))
            try await handle(count, by: member, at: 10)
            // The sessions report their statistics at their end.
            await broker.close()
            try await eventually {
                try await server.run("SELECT FROM pg_stat_activity WHERE application_name = '@'").count == 0
            }
            let read = try await server.run(
                """
                SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes
                WHERE schemaname = '@' AND relname IN ('deliveries', 'held', 'advances')
                """
            ).integer(0, 0)
            #expect(try #require(read) > Int64(count))
            #expect(try #require(read) < Int64(count * 20))
            holder.close()
            await server.remove()
        }

        @Test func groupMessageUnsettledForLongMovesAsideAndIsSettled() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await fill(broker, 2_000)
            let member = try await broker.driver.join(
                GroupSettings("g", deadline: .seconds(600), maxUnsettled: 100), of: "s")
            let slow = try await member.pull(upTo: 2, within: .seconds(5))
            try await handle(1_800, by: member, at: 90)
            #expect(try await held(server) == [1, 2])
            #expect(try await broker.driver.summary(of: "g", in: "s") == GroupSummary(waiting: 198, unsettled: 2))
            // Few rows are left: those of the positions that the group has delivered lately.
            #expect(try #require(try await server.run("SELECT count(*) FROM @.advances").integer(0, 0)) < 15)
            try await member.settle([Verdict(slow[0].token, .extended)])
            try await member.settle([Verdict(slow[0].token, .done), Verdict(slow[1].token, .again(after: .seconds(0)))])
            let again = try await member.pull(upTo: 1, within: .seconds(5))
            #expect(again.map(\.stored.position.number) == [2])
            #expect(again.map(\.attempt) == [2])
            try await member.settle(again.map { Verdict($0.token, .done) })
            #expect(try await held(server) == [])
            await broker.close()
            await server.remove()
        }

        @Test func groupMessageMovedAsideComesAgainAfterItsDeadline() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await fill(broker, 1_500)
            let dying = try await broker.driver.join(
                GroupSettings("g", deadline: .seconds(10), maxUnsettled: 100), of: "s")
            _ = try await dying.pull(upTo: 1, within: .seconds(5))
            let member = try await broker.driver.join(GroupSettings("g", maxUnsettled: 100), of: "s")
            try await handle(1_499, by: member, at: 90)
            #expect(try await held(server) == [1])
            let again = try await member.pull(upTo: 10, within: .seconds(30))
            #expect(again.map(\.stored.position.number) == [1])
            #expect(again.map(\.attempt) == [2])
            await broker.close()
            await server.remove()
        }

        /// The messages that were moved aside count too.
        @Test func groupBoundReachedByStragglersDeliversNoMore() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await fill(broker, 1_600)
            let member = try await broker.driver.join(
                GroupSettings("g", deadline: .seconds(600), maxUnsettled: 100), of: "s")
            let slow = try await member.pull(upTo: 60, within: .seconds(5))
            try await handle(1_400, by: member, at: 40)
            #expect(try await held(server).count == 60)
            #expect(try await member.pull(upTo: 50, within: .seconds(1)).count == 40)
            #expect(try await member.pull(upTo: 50, within: .nanoseconds(0)).isEmpty)
            try await member.settle(slow.prefix(2).map { Verdict($0.token, .done) })
            #expect(try await member.pull(upTo: 50, within: .seconds(1)).count == 2)
            await broker.close()
            await server.remove()
        }
    }
}
