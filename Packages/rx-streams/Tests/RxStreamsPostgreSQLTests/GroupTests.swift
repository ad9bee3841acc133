import RxStreams
import RxSwift
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
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

        /// Messages 1 to 3 are due first, but have been removed from the stream.
        @Test func redeliveriesBehindRemovedMessagesArePulledAtOnce() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await fill(broker, 6)
            let first = try await broker.driver.join(GroupSettings("g"), of: "s")
            let pulled = try await first.pull(upTo: 6, within: .seconds(5))
            try await first.settle(pulled.map { Verdict($0.token, .again(after: .nanoseconds(0))) })
            try await server.run("UPDATE @.held SET due = due - (10 - position) * interval '1 minute'")
            try await broker.driver.ensure(StreamSettings("s", keeping: .last(3)))
            let member = try await broker.driver.join(GroupSettings("g"), of: "s")
            let again = try await member.pull(upTo: 3, within: .seconds(5))
            #expect(again.map(\.stored.position.number) == [4, 5, 6])
            await broker.close()
            await server.remove()
        }

        /// The snapshot keeps the server from removing dead rows.
        @Test func groupSnapshotHeldPullsReadNoDeadRows() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            let count = 3_000
            try await fill(broker, count)
            let member = try await broker.driver.join(GroupSettings("g", deadline: .milliseconds(1)), of: "s")
            let holder = try await TestSchema.connect(server.url)
            try await holder.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1", within: .seconds(10))
            for _ in 0..<3 {
                try await handle(count / 3, by: member, at: 10)
                // If the statistics show almost no rows, the planner prefers sequential scans.
                try await server.run("VACUUM ANALYZE @.deliveries_0")
            }
            // A session reports its statistics when it ends.
            await broker.close()
            try await eventually {
                try await server.run("SELECT FROM pg_stat_activity WHERE application_name = '@'").count == 0
            }
            let read = try await server.run(
                """
                SELECT sum(idx_tup_read)::bigint FROM pg_stat_user_indexes
                WHERE schemaname = '@' AND relname SIMILAR TO '(deliveries|advances)_[01]|held'
                """
            ).integer(0, 0)
            #expect(try #require(read) > Int64(count))
            #expect(try #require(read) < Int64(count * 20))
            holder.close()
            await server.remove()
        }

        private func size(_ server: TestSchema, _ table: String) async throws -> Int64 {
            try #require(
                try await server.run(
                    """
                    SELECT sum(pg_total_relation_size(relid))::bigint FROM pg_stat_user_tables
                    WHERE schemaname = '@' AND relname LIKE $1
                    """, [.text(table + "%")]
                ).integer(0, 0))
        }

        @Test func tablesRotatedWhileSnapshotIsHeldStaySmallAndLoseNothing() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await fill(broker, 6_000)
            let member = try await broker.driver.join(
                GroupSettings("g", deadline: .seconds(600), maxUnsettled: 100), of: "s")
            let idle = try await broker.driver.join(GroupSettings("idle"), of: "s")
            let idlePulled = try await idle.pull(upTo: 3, within: .seconds(5))
            try await idle.settle(idlePulled.dropFirst().map { Verdict($0.token, .done) })
            let holder = try await TestSchema.connect(server.url)
            try await holder.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1", within: .seconds(10))
            let slow = try await member.pull(upTo: 2, within: .seconds(5))
            var sizes: [Int64] = []
            for _ in 0..<6 {
                try await handle(900, by: member, at: 20)
                sizes.append(try await size(server, "deliveries"))
                // `rotate` fails while the broker reads the tables' sizes.
                try await eventually { (try? await server.run("SELECT @.rotate(1)"))?.bool(0, 0) == true }
            }
            #expect(try #require(sizes.last) <= sizes[1] + 65_536)
            #expect(try await broker.driver.summary(of: "g", in: "s") == GroupSummary(waiting: 598, unsettled: 2))
            #expect(try await broker.driver.summary(of: "idle", in: "s") == GroupSummary(waiting: 5_997, unsettled: 1))
            try await member.settle(slow.map { Verdict($0.token, .done) })
            try await idle.settle([Verdict(idlePulled[0].token, .done)])
            try await handle(598, by: member, at: 20)
            let next = try await idle.pull(upTo: 1, within: .seconds(5))
            #expect(next.map(\.stored.position.number) == [4])
            #expect(try await broker.driver.summary(of: "g", in: "s") == GroupSummary(waiting: 0, unsettled: 0))
            holder.close()
            await broker.close()
            await server.remove()
        }

        @Test func inboxRotatedWhileSnapshotIsHeldStaysSmallAndLosesNothing() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            let (holder, open) = (
                try await TestSchema.connect(server.url), try await TestSchema.connect(server.url)
            )
            try await holder.script("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1", within: .seconds(10))
            var (sizes, next, rotations) = ([Int64](), UInt64(1), 0)
            for round in 0..<8 {
                if round == 2 {
                    try await open.script(
                        "BEGIN; SELECT \(server.name).rx_publish('s', 'open')", within: .seconds(10))
                }
                if round == 5 { try await open.script("COMMIT", within: .seconds(10)) }
                try await server.run(
                    "SELECT @.rx_publish('s', '\(round)-' || n) FROM generate_series(1, 500) n")
                if (try? await server.run("SELECT @.rotate_inbox(1)"))?.bool(0, 0) == true { rotations += 1 }
                var texts: [String] = []
                while texts.count < (round == 5 ? 501 : 500) {
                    let messages = try await broker.driver.read(
                        "s", from: Position(next), limit: 1_000, within: .seconds(5))
                    try #require(!messages.isEmpty)
                    texts += messages.map { String(decoding: $0.message.payload, as: UTF8.self) }
                    next += UInt64(messages.count)
                }
                #expect(texts.filter { $0 != "open" } == (1...500).map { "\(round)-\($0)" })
                sizes.append(try await size(server, "inbox"))
            }
            // The open publication delays some rotations.
            #expect(rotations >= 4)
            #expect(try #require(sizes.last) <= sizes[2] + 65_536)
            for link in [holder, open] { link.close() }
            await broker.close()
            await server.remove()
        }

        private func publish(_ count: Int, kilobytes: Int, _ server: TestSchema) async throws {
            try await server.run(
                """
                SELECT @.rx_publish('s', t.digits) FROM generate_series(1, \(count)), (
                    SELECT string_agg(md5(n::text), '') AS digits FROM generate_series(1, \(kilobytes * 32)) n) t
                """)
        }

        /// Creates the stream, and closes the broker so that it rotates no tables.
        private func ensureStream(_ server: TestSchema) async throws {
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            await broker.close()
        }

        /// The server stores a large payload outside of the table's file.
        @Test func inboxWithOneLargePayloadIsRotated() async throws {
            let server = try await TestSchema()
            try await ensureStream(server)
            try await publish(1, kilobytes: 1_024, server)
            #expect(try await server.run("SELECT @.rotate_inbox()").bool(0, 0) == true)
            await server.remove()
        }

        /// Rotation copies waiting rows under a lock that stops readers.
        @Test func inboxWithManyWaitingBytesIsNotRotatedUntilTheyAreRead() async throws {
            let server = try await TestSchema()
            try await ensureStream(server)
            try await publish(17, kilobytes: 1_024, server)
            #expect(try await server.run("SELECT @.rotate_inbox()").bool(0, 0) == true)
            #expect(try await server.run("SELECT @.rotate_inbox(1)").bool(0, 0) == false)
            let broker = try server.broker()
            var count = 0
            while count < 17 {
                let messages = try await broker.driver.read(
                    "s", from: Position(UInt64(count + 1)), limit: 100, within: .seconds(5))
                try #require(!messages.isEmpty)
                count += messages.count
            }
            await broker.close()
            // `rotate_inbox` fails while the broker itself rotates.
            try await eventually { try await server.run("SELECT @.rotate_inbox(1)").bool(0, 0) == true }
            await server.remove()
        }

        /// Pulls wait while a rotation waits for its lock.
        @Test func failedRotationIsRepeatedAfterLongerPauses() async throws {
            var pauses = MaintenancePauses(.seconds(7))
            var spans: [Duration] = []
            for _ in 0..<8 {
                spans.append(pauses.span)
                pauses.attempted(false)
            }
            #expect(spans == [7, 14, 28, 56, 112, 224, 300, 300].map { .seconds($0) })
            pauses.attempted(true)
            #expect(pauses.span == .seconds(7))

            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            let holder = try await TestSchema.connect(server.url)
            try await holder.script(
                "BEGIN; LOCK TABLE \(server.name).inbox IN ACCESS SHARE MODE", within: .seconds(10))
            try await publish(1, kilobytes: 1_024, server)
            // If the broker is rotating at this moment, `maintain` returns true.
            try await eventually { await !broker.postgres.maintain("rotate_inbox()") }
            try await holder.script("COMMIT", within: .seconds(10))
            #expect(await broker.postgres.maintain("rotate_inbox()"))
            holder.close()
            await broker.close()
            await server.remove()
        }

        @Test func rotationGivesUpIfTablesAreLocked() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await fill(broker, 10)
            let member = try await broker.driver.join(GroupSettings("g"), of: "s")
            let holder = try await TestSchema.connect(server.url)
            try await holder.script(
                "BEGIN; LOCK TABLE \(server.name).deliveries IN ACCESS SHARE MODE", within: .seconds(10))
            try await eventually {
                let hasRotated: Bool?
                do {
                    hasRotated = try await server.run("SELECT @.rotate(1)").bool(0, 0)
                } catch let error as ServerError where error.state == "55P03" {
                    return true
                }
                #expect(hasRotated != true)
                return false
            }
            try await handle(10, by: member, at: 5)
            try await holder.script("COMMIT", within: .seconds(10))
            try await eventually { try await server.run("SELECT @.rotate(1)").bool(0, 0) == true }
            #expect(try await broker.driver.summary(of: "g", in: "s") == GroupSummary(waiting: 0, unsettled: 0))
            holder.close()
            await broker.close()
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
            // Only rows of recent positions are left.
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
