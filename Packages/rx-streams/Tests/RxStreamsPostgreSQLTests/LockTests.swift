import RxStreams
import RxSwift
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    struct LockTests {
        /// A group with a member that has pulled all three messages.
        private struct Bench {
            let server: TestSchema
            let broker: PostgreSQLBroker
            let pulled: [PulledMessage]
            let member: any GroupMember
            let (first, second): (Link, Link)
            let (group, memberID): (Int64, Int64)

            init() async throws {
                server = try await TestSchema()
                broker = try server.broker()
                try await broker.driver.ensure(StreamSettings("s"))
                _ = try await broker.driver.append((1...3).map { NewMessage("s", Array("\($0)".utf8)) }, to: "s")
                member = try await broker.driver.join(GroupSettings("g", deadline: .seconds(60)), of: "s")
                pulled = try await member.pull(upTo: 3, within: .seconds(5))
                try #require(pulled.count == 3)
                let rows = try await server.run("SELECT in_group, member FROM @.deliveries LIMIT 1")
                group = try #require(rows.integer(0, 0))
                memberID = try #require(rows.integer(0, 1))
                first = try await TestSchema.connect(server.url)
                second = try await TestSchema.connect(server.url)
            }

            func close() async {
                first.close()
                second.close()
                await broker.close()
                await server.remove()
            }

            /// Pulls with a thorough search.
            func pull(on link: Link) async throws {
                _ = try await link.run(
                    "SELECT * FROM \(server.name).pull($1, $2, 10, 60000000, 0, NULL, true)",
                    [.integer(group), .integer(memberID)], within: .seconds(30))
            }

            /// Settles messages that were delivered once. A verdict with a pause, in seconds, requests another
            /// delivery.
            func settle(_ verdicts: [(position: Int64, pause: Int64?)], on link: Link) async throws {
                func all(_ value: Int64) -> Value { .integers(verdicts.map { _ in value }) }
                _ = try await link.run(
                    "SELECT \(server.name).settle($1, $2, $3, $4, $5, $6, 60000000)",
                    [
                        all(group), .integers(verdicts.map(\.position)), all(1), all(memberID),
                        .integers(verdicts.map { $0.pause == nil ? 0 : 1 }),
                        .integers(verdicts.map { ($0.pause ?? 0) * 1_000_000 }),
                    ], within: .seconds(30))
            }

            func waitUntilBlocked(_ link: Link, seconds: Int = 0) async throws {
                try await eventually {
                    try await server.run(
                        """
                        SELECT FROM pg_stat_activity WHERE pid = $1::int AND wait_event_type = 'Lock'
                            AND clock_timestamp() - query_start > '\(seconds) s'
                        """, [.text("\(link.processID)")]
                    ).count == 1
                }
            }
        }

        /// If the sessions deadlocked, the server would end one with an error after a second.
        @Test(
            arguments: [
                // Both sessions settle messages 1 and 2, in opposite orders.
                [[(1, nil)], [(2, nil), (1, nil)], [(2, nil)]],
                // If a pause is longer than all earlier pauses, `settle` also locks the group's row.
                [[(2, 100)], [(1, nil), (3, 200)], [(1, nil)]],
            ] as [[[(position: Int64, pause: Int64?)]]])
        func settlementsOfSameMessagesAtOnceBothEnd(_ verdicts: [[(position: Int64, pause: Int64?)]]) async throws {
            let bench = try await Bench()
            try await bench.first.script("BEGIN", within: .seconds(10))
            try await bench.settle(verdicts[0], on: bench.first)
            let other = Task { try await bench.settle(verdicts[1], on: bench.second) }
            try await bench.waitUntilBlocked(bench.second)
            try await bench.settle(verdicts[2], on: bench.first)
            try await bench.first.script("COMMIT", within: .seconds(10))
            try await other.value
            let pauses = verdicts.joined().filter { $0.pause != nil }
            let left = try await bench.server.run("SELECT position FROM @.deliveries ORDER BY 1")
            #expect((0..<left.count).map { left.integer($0, 0) } == (pauses.isEmpty ? [3] : []))
            let held = try await bench.server.run("SELECT position FROM @.held ORDER BY 1")
            #expect((0..<held.count).map { held.integer($0, 0) } == pauses.map(\.position))
            let longest = try await bench.server.run("SELECT longest FROM @.groups").integer(0, 0)
            #expect(longest == (pauses.map { $0.pause ?? 0 } + [60]).max().map { $0 * 1_000_000 })
            await bench.close()
        }

        /// The due times lie a day ahead, as if the clock had been set back.
        @Test func pullCorrectsDueTimesWithoutWaitingForSettlements() async throws {
            let bench = try await Bench()
            let server = bench.server
            try await bench.member.settle(bench.pulled.map { Verdict($0.token, .again(after: .seconds(600))) })
            await bench.broker.close()
            try await server.run("UPDATE @.held SET due = due + '1 day'")
            try await bench.first.script(
                "BEGIN; SELECT FROM \(server.name).held WHERE position = 1 FOR UPDATE", within: .seconds(10))
            try await bench.second.script("SET lock_timeout = '3s'", within: .seconds(10))
            try await bench.pull(on: bench.second)
            let late = "SELECT position FROM @.held WHERE due > clock_timestamp() + '700 s'"
            let rows = try await server.run(late)
            #expect((0..<rows.count).map { rows.integer($0, 0) } == [1])
            try await bench.first.script("COMMIT", within: .seconds(10))
            try await bench.pull(on: bench.second)
            #expect(try await server.run(late).count == 0)
            await bench.close()
        }

        /// Another session extends a deadline while the pull waits.
        @Test func pullThatHasWaitedShortensNoDeadline() async throws {
            let bench = try await Bench()
            let server = bench.server
            try await bench.member.settle(
                [Verdict(bench.pulled[0].token, .again(after: .seconds(30)))]
                    + bench.pulled.dropFirst().map { Verdict($0.token, .done) })
            await bench.broker.close()
            try await bench.first.script(
                "BEGIN; LOCK TABLE \(server.name).held IN ACCESS EXCLUSIVE MODE", within: .seconds(10))
            let pull = Task { try await bench.pull(on: bench.second) }
            try await bench.waitUntilBlocked(bench.second, seconds: 2)
            let due = try await bench.first.run(
                "UPDATE \(server.name).held SET due = clock_timestamp() + '60 s' RETURNING due::text",
                within: .seconds(10)
            ).text(0, 0)
            #expect(due != nil)
            try await bench.first.script("COMMIT", within: .seconds(10))
            try await pull.value
            #expect(try await server.run("SELECT due::text FROM @.held").text(0, 0) == due)
            await bench.close()
        }
    }
}
