import Foundation
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    struct TransactionTests {
        @Test func publishInTransactionIsStoredWithTheCommitOnly() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            let orders = broker.stream("orders", of: Int.self)
            try await orders.ensure()
            await #expect(throws: CancellationError.self) {
                try await broker.transaction { transaction in
                    try await orders.publish(1, in: transaction)
                    throw CancellationError()
                }
            }
            try await broker.transaction { transaction in
                try await orders.publish(2, id: "two", in: transaction)
                let before = try await broker.driver.summary(of: "orders")
                #expect(before.count == 0)
            }
            _ = try await broker.driver.append([NewMessage("orders", Array("3".utf8), id: "two")], to: "orders")
            try await broker.transaction { transaction in try await orders.publish(2, id: "two", in: transaction) }
            let read = try await broker.driver.read("orders", from: Position(1), limit: 10, within: .seconds(5))
            #expect(read.count == 1)
            await broker.close()
            await server.remove()
        }

        @Test func transactionWithoutStatementIsRolledBackAfterItsTimeout() async throws {
            let server = try await TestSchema()
            let broker = try PostgreSQLBroker(
                server.url + "?application_name=\(server.name)", schema: server.name,
                idleTransactionTimeout: .seconds(1))
            try await broker.transaction { transaction in
                for _ in 0..<4 {
                    try await Task.sleep(for: .milliseconds(50))
                    _ = try await transaction.run("SELECT 1")
                }
            }
            await #expect {
                try await broker.transaction { transaction in
                    try await Task.sleep(for: .seconds(2))
                    _ = try await transaction.run("SELECT 1")
                }
            } throws: { error in
                if case BrokerError.unavailable = error { true } else { false }
            }
            await broker.close()
            await server.remove()
        }

        @Test func rxPublishTakesTextJSONAndBytesFromAnyClient() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s", subjects: ["s.*"]))
            try await server.run("SELECT @.rx_publish('s', '{\"a\": 1}')")
            try await server.run("SELECT @.rx_publish('s', jsonb_build_object('b', 2), id => 'two')")
            try await server.run(
                "SELECT @.rx_publish('s', '\\x0304'::bytea, subject => 's.x', headers => '{\"k\": \"v\"}')")
            await #expect(throws: ServerError.self) { try await server.run("SELECT @.rx_publish('s', '1', 'foreign')") }
            await #expect(throws: ServerError.self) { try await server.run("SELECT @.rx_publish('none', '1')") }
            let read = try await broker.driver.read("s", from: Position(1), limit: 10, within: .seconds(5))
            #expect(
                read.map(\.message) == [
                    NewMessage("s.all", Array("{\"a\": 1}".utf8)),
                    NewMessage("s.all", Array("{\"b\": 2}".utf8), id: "two"),
                    NewMessage("s.x", [3, 4], headers: ["k": "v"]),
                ])
            await broker.close()
            await server.remove()
        }

        @Test func rxPublishFromPsqlIsStoredWithTheCommit() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("orders"))
            try await server.run("CREATE TABLE @.orders (id text)")
            let arguments =
                ["psql", "-qX", "-v", "ON_ERROR_STOP=1", server.url]
                + [
                    "SET search_path = \(server.name)", "BEGIN", "INSERT INTO orders VALUES ('lost')",
                    "select rx_publish('orders', '\"lost\"')", "ROLLBACK", "BEGIN",
                    "INSERT INTO orders VALUES ('o-1')",
                    "select rx_publish('orders', jsonb_build_object('id', 'o-1'), id => 'o-1')", "COMMIT",
                ].flatMap { ["-c", $0] }
            let status = try await TestServer.onProgramQueue {
                let psql = Process()
                psql.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                psql.arguments = arguments
                psql.standardOutput = FileHandle.nullDevice
                try psql.run()
                psql.waitUntilExit()
                return psql.terminationStatus
            }
            #expect(status == 0)
            let read = try await broker.driver.read("orders", from: Position(1), limit: 10, within: .seconds(5))
            #expect(read.map(\.message) == [NewMessage("orders", Array(#"{"id": "o-1"}"#.utf8), id: "o-1")])
            await broker.close()
            await server.remove()
        }

        @Test func transactionAfterFailedStatementIsRefused() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            await #expect(throws: BrokerError.self) {
                try await broker.transaction { transaction in _ = try? await transaction.run("SELECT 1/0") }
            }
            let kept = Shared<PostgreSQLTransaction?>(nil)
            let sum = try await broker.transaction { transaction in
                kept.change { $0 = transaction }
                return try await transaction.run("SELECT $1::int + 1 AS sum, NULL AS nothing", [.integer(41)])[0, "sum"]
            }
            #expect(sum == "42")
            let over = try #require(kept.value)
            await #expect(throws: BrokerError.refused("the transaction has ended")) { try await over.run("SELECT 1") }
            await broker.close()
            await server.remove()
        }

        @Test func brokersStartedAtOnceCreateTheSchemaOnce() async throws {
            for _ in 0..<10 {
                let server = try await TestSchema()
                let brokers = try (0..<6).map { _ in try server.broker(connections: 1) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for broker in brokers {
                        group.addTask { try await broker.driver.ensure(StreamSettings("s", subjects: ["s.*"])) }
                    }
                    try await group.waitForAll()
                }
                for broker in brokers { await broker.close() }
                await server.remove()
            }
        }

        /// A deferred trigger delays commits, so most backends are killed during a commit.
        @Test func workInTransactionBackendsKilledEachEffectOnce() async throws {
            let server = try await TestSchema()
            let brokers = [try server.broker(), try server.broker()]
            let orders = brokers.map { $0.stream("orders", of: Int.self) }
            try await orders[0].ensure()
            try await server.link.script(
                """
                CREATE TABLE \(server.name).charges (order_id int NOT NULL);
                CREATE FUNCTION \(server.name).linger() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN PERFORM pg_sleep(0.02); RETURN NULL; END';
                CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON \(server.name).charges DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW EXECUTE FUNCTION \(server.name).linger()
                """, within: .seconds(10))
            _ = try await brokers[0].driver.append(
                (1...400).map { NewMessage("orders", Array("\($0)".utf8)) }, to: "orders")
            let failures = Shared<[String]>([])
            let works = orders.map { orders in
                orders.work(
                    as: "billing", concurrency: 4, retry: .every(.milliseconds(50)), attempts: 1_000,
                    deadline: .seconds(2),
                    inTransaction: { order, transaction in
                        try await transaction.run(
                            "INSERT INTO \(server.name).charges VALUES ($1)", [.integer(order)])
                    }
                ).subscribe(onError: { error in failures.change { $0.append("\(error)") } })
            }
            let isOver = Shared(false)
            let killer = Task {
                let link = try await TestSchema.connect(server.url)
                var commits = 0
                while !isOver.value {
                    let rows = try await link.run(
                        """
                        SELECT query = 'COMMIT', pg_terminate_backend(pid) FROM (
                            SELECT pid, query FROM pg_stat_activity WHERE application_name = $1
                            ORDER BY state = 'active' AND query = 'COMMIT' DESC, random() LIMIT 1) s
                        """, [.text(server.name)], within: .seconds(10))
                    if rows.count == 1, rows.bool(0, 0) == true { commits += 1 }
                    try await Task.sleep(for: .milliseconds(100))
                }
                link.close()
                return commits
            }
            try await eventually(60) {
                try await server.run("SELECT count(DISTINCT order_id) FROM @.charges").integer(0, 0) == 400
            }
            isOver.change { $0 = true }
            #expect(try await killer.value > 5)
            try await eventually(30) { (try? await orders[0].summary(of: "billing").lag) == 0 }
            #expect(try await server.run("SELECT count(*) FROM @.charges").integer(0, 0) == 400)
            #expect(failures.value == [])
            works.forEach { $0.dispose() }
            for broker in brokers { await broker.close() }
            await server.remove()
        }

        /// The commit waits for a standby that does not exist, until the session is terminated.
        @Test func workInTransactionAnswerOfCommitLostIsHandledOnce() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            let orders = broker.stream("orders", of: Int.self)
            try await orders.ensure()
            try await server.run("CREATE TABLE @.charges (order_id int NOT NULL)")
            // No other commit waits for a standby.
            try await server.run("ALTER SYSTEM SET synchronous_commit = 'local'")
            try await server.run("SELECT pg_reload_conf()")
            try await eventually { try await server.run("SHOW synchronous_commit").text(0, 0) == "local" }
            try await server.run("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
            try await server.run("SELECT pg_reload_conf()")
            _ = try await broker.driver.append([NewMessage("orders", Array("1".utf8))], to: "orders")
            let outcomes = Shared<[String]>([])
            let work = orders.work(
                as: "billing", attempts: 1,
                inTransaction: { order, transaction in
                    try await transaction.run("SET LOCAL synchronous_commit = 'on'")
                    try await transaction.run("INSERT INTO \(server.name).charges VALUES ($1)", [.integer(order)])
                }
            ).subscribe(onNext: { outcome in
                outcomes.change { if case .handled = outcome { $0.append("handled") } else { $0.append("\(outcome)") } }
            })
            try await eventually {
                try await server.run(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE application_name = '@' AND wait_event = 'SyncRep'
                    """
                ).count == 1
            }
            try await eventually { !outcomes.value.isEmpty }
            #expect(outcomes.value == ["handled"])
            #expect(try await orders.summary(of: "billing").lag == 0)
            #expect(try await server.run("SELECT count(*) FROM @.charges").integer(0, 0) == 1)
            try await server.run("ALTER SYSTEM RESET synchronous_standby_names")
            try await server.run("SELECT pg_reload_conf()")
            work.dispose()
            await broker.close()
            await server.remove()
        }

        @Test func commitUnknownOfRemovedGroupIsLost() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            _ = try await broker.driver.append([NewMessage("s", [1])], to: "s")
            let member = try await broker.driver.join(GroupSettings("g"), of: "s")
            let pulled = try #require(try await member.pull(upTo: 1, within: .seconds(5)).first)
            let token = try #require(DeliveryToken(pulled.token))
            try await broker.driver.remove(group: "g", of: "s")
            await #expect(throws: DeliveryLost.self) {
                try await broker.postgres.find(token, after: CommitUnknown(why: .closed))
            }
            await broker.close()
            await server.remove()
        }

        @Test func workInTransactionHandlerThrowsEffectIsRolledBackAndElementBecomesDeadLetter() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            let orders = broker.stream("orders", of: Int.self)
            try await orders.ensure()
            try await server.run("CREATE TABLE @.charges (order_id int NOT NULL)")
            _ = try await broker.driver.append((1...3).map { NewMessage("orders", Array("\($0)".utf8)) }, to: "orders")
            let work = orders.work(
                as: "billing", retry: .every(.milliseconds(1)), attempts: 2,
                inTransaction: { order, transaction in
                    try await transaction.run("INSERT INTO \(server.name).charges VALUES ($1)", [.integer(order)])
                    if order == 2 { throw CocoaError(.featureUnsupported) }
                }
            ).subscribe()
            try await eventually { (try? await orders.summary(of: "billing").lag) == 0 }
            let charged = try await server.run("SELECT order_id FROM @.charges ORDER BY 1")
            #expect((0..<charged.count).map { charged.integer($0, 0) } == [1, 3])
            #expect(try await broker.driver.summary(of: "orders-dead").count == 1)
            work.dispose()
            await broker.close()
            await server.remove()
        }
    }
}
