import Foundation
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    struct TLSTests {
        private func failure(_ url: String) async throws -> BrokerError? {
            let broker = try PostgreSQLBroker(url, connections: 1)
            var failure: BrokerError?
            do { try await broker.driver.ensure(StreamSettings("s")) } catch let error as BrokerError {
                failure = error
            }
            await broker.close()
            return failure
        }

        private func isRefused(_ error: BrokerError?, _ words: String) -> Bool {
            if case .refused(let why)? = error { why.contains(words) } else { false }
        }

        @Test func serverCertificateAndNameAreVerified() async throws {
            let server = try await TestServer()
            #expect(try await failure(server.url) == nil)
            let link = try await TestSchema.connect(server.url)
            let isSecure = try await link.run(
                "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", within: .seconds(10))
            #expect(isSecure.bool(0, 0) == true)
            link.close()

            let wrongName = server.url.replacing("@localhost:", with: "@db.example.com:")
            #expect(isRefused(try await failure(wrongName), "does not match host name"))
            let certificate = try #require(server.url.split(separator: "sslrootcert=").last)
            let another = server.url.replacing(certificate, with: "/etc/ssl/certs/ca-certificates.crt")
            #expect(isRefused(try await failure(another), "certificate verify failed"))
        }

        @Test func passwordIsVerifiedWithSCRAM() async throws {
            let server = try await TestServer()
            let link = try await TestSchema.connect(server.url)
            for statement in [
                "SET password_encryption = 'scram-sha-256'", "CREATE ROLE app LOGIN SUPERUSER PASSWORD 'a secret'",
            ] {
                _ = try await link.run(statement, within: .seconds(10))
            }
            let file = try #require(try await link.run("SHOW hba_file", within: .seconds(10)).text(0, 0))
            let lines = ["hostssl all app 127.0.0.1/32 scram-sha-256", "host all postgres 127.0.0.1/32 trust"]
            _ = try await link.run(
                "COPY (VALUES ('\(lines[0])'), ('\(lines[1])')) TO '\(file)'", within: .seconds(10))
            _ = try await link.run("SELECT pg_reload_conf()", within: .seconds(10))
            func url(_ password: String) -> String {
                server.url.replacing("//postgres@", with: "//app\(password)@") + "&channel_binding=require"
            }
            // The server reads the changed configuration a moment later.
            try await eventually { isRefused(try await failure(url("")), "no password supplied") }
            #expect(try await failure(url(":a%20secret")) == nil)
            #expect(isRefused(try await failure(url(":another")), "password authentication failed"))
            link.close()
        }

        @Test func serverWithoutTLSIsRefusedIfTheURLRequiresIt() async throws {
            let url = try #require(TestSchema.url)
            #expect(isRefused(try await failure(url + "?sslmode=require"), "does not support SSL"))
        }
    }

    struct ServerFaultTests {
        private func insist<Result>(_ call: () async throws -> Result) async throws -> Result {
            var result: Result?
            try await eventually(60) {
                do { result = try await call() } catch BrokerError.unavailable {}
                return result != nil
            }
            return try #require(result)
        }

        @Test func serverKilledPublishedMessagesAreKeptAndUnsettledOnesComeAgain() async throws {
            let server = try await TestServer()
            let broker = try PostgreSQLBroker(server.url)
            let driver = broker.driver
            let states = Shared<[String]>([])
            let watching = broker.status.subscribe(onNext: { status in
                if case .connected = status { states.change { $0.append("connected") } }
                if case .connecting = status, states.value.last != "connecting" {
                    states.change { $0.append("connecting") }
                }
            })
            try await insist { try await driver.ensure(StreamSettings("s")) }
            for round in 0..<3 {
                let ids = (1...50).map { "\(round)-\($0)" }
                _ = try await insist {
                    try await driver.append(ids.map { NewMessage("s", Array($0.utf8), id: $0) }, to: "s")
                }
                let member = try await insist {
                    try await driver.join(GroupSettings("g\(round)", deadline: .milliseconds(500)), of: "s")
                }
                let before = try await insist { try await member.pull(upTo: 20, within: .seconds(5)) }
                #expect(before.count == 20)
                try await server.kill()
                await #expect(throws: BrokerError.self) {
                    // The server's processes may end a moment after the kill.
                    while true { _ = try await driver.summary(of: "s") }
                }
                try await server.restart()
                var seen: Set<UInt64> = []
                try await eventually(60) {
                    do {
                        let pulled = try await member.pull(upTo: 200, within: .seconds(1))
                        try await member.settle(pulled.map { Verdict($0.token, .done) })
                        seen.formUnion(pulled.map(\.stored.position.number))
                    } catch BrokerError.unavailable {}
                    return seen.count == (round + 1) * 50
                }
                #expect(try await insist { try await driver.summary(of: "s") }.count == (round + 1) * 50)
            }
            #expect(states.value.filter { $0 == "connected" }.count >= 4)
            watching.dispose()
            await broker.close()
        }

        @Test func brokerWhoseSessionsAreTerminatedConnectsAgain() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            let received = Shared(0)
            let failures = Shared<[String]>([])
            let view = broker.stream("s", of: Int.self).replay(from: .beginning).subscribe(
                onNext: { _ in received.change { $0 += 1 } },
                onError: { error in failures.change { $0.append("\(error)") } })
            for number in 1...5 {
                try await server.run(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '@'")
                _ = try await insist {
                    try await broker.driver.append([NewMessage("s", [49], id: "\(number)")], to: "s")
                }
            }
            try await eventually(60) { received.value >= 5 || !failures.value.isEmpty }
            #expect(received.value == 5)
            #expect(failures.value == [])
            view.dispose()
            await broker.close()
            await server.remove()
        }

        /// Each NOTIFY takes a lock of the whole server.
        @Test func changesAtOnceNotifyAtMostEveryTenMilliseconds() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            try await eventually { broker.postgres.notifier.isListening }
            let notified = Shared(0)
            guard case .connected(let made) = try PostgreSQLAddress(server.url).connect() else {
                throw BrokerError.unavailable("the test's server")
            }
            let listener = Link(made.connection, onNotify: { notified.change { $0 += 1 } }, onBreak: { _ in })
            try await listener.script("LISTEN \(server.name)", within: .seconds(10))
            let begun = ContinuousClock.now
            for _ in 0..<3_000 {
                broker.postgres.wakeWaiters()
                await Task.yield()
            }
            try await eventually { notified.value > 0 }
            // Notifications arrive before the answer to a later statement.
            for _ in 0..<3 { try await listener.script("SELECT 1", within: .seconds(10)) }
            let span = begun.duration(to: .now)
            #expect(Double(notified.value) <= min(span / .milliseconds(10) + 2, 1_000))
            listener.close()
            await broker.close()
            await server.remove()
        }

        /// The first statement's timer of 60 s is still running.
        @Test func statementWithoutAnswerEndsConnectionAtItsTimeout() async throws {
            let server = try await TestSchema()
            let link = try await TestSchema.connect(server.url)
            _ = try await link.run("SELECT 1", within: .seconds(60))
            #expect(link.isIdle)
            let begun = ContinuousClock.now
            await #expect(throws: BrokerError.unavailable("the server did not answer within 0.2 seconds")) {
                try await link.run("SELECT pg_sleep(30)", within: .milliseconds(200))
            }
            #expect(begun.duration(to: .now) < .seconds(20))
            #expect(!link.isIdle)
            await server.remove()
        }

        @Test func connectionInTransactionIsNotIdle() async throws {
            let server = try await TestSchema()
            #expect(server.link.isIdle)
            try await server.link.script("BEGIN", within: .seconds(10))
            #expect(!server.link.isIdle)
            await #expect(throws: ServerError.self) { try await server.run("SELECT 1/0") }
            #expect(!server.link.isIdle)
            try await server.link.script("ROLLBACK", within: .seconds(10))
            #expect(server.link.isIdle)
            await server.remove()
        }

        @Test func schemaOfALaterVersionIsRefused() async throws {
            let server = try await TestSchema()
            let first = try server.broker()
            try await first.driver.ensure(StreamSettings("s"))
            await first.close()
            try await server.run("UPDATE @.schema_version SET version = 99")
            let broker = try server.broker()
            let why = "the schema \(server.name) was made by a later version of this program (schema 99; this program "
            await #expect {
                try await broker.driver.ensure(StreamSettings("s"))
            } throws: { error in
                if case BrokerError.refused(let words) = error { words.hasPrefix(why) } else { false }
            }
            await broker.close()
            await server.remove()
        }

        @Test func roleWithoutRightsGetsAdviceToRunScriptAndWorksAfterwards() async throws {
            let server = try await TestSchema()
            try await server.run("CREATE ROLE @ LOGIN")
            let url = server.url.replacing("postgres://postgres@", with: "postgres://\(server.name)@")
            let broker = try PostgreSQLBroker(url, schema: server.name)
            await #expect {
                try await broker.driver.ensure(StreamSettings("s"))
            } throws: { error in
                if case BrokerError.refused(let why) = error { why.contains("rx-orders schema --print") } else { false }
            }
            let script = try PostgreSQLBroker.schemaScript(server.name)
            try await server.run("CREATE ROLE @_admin")
            try await server.run("GRANT CREATE ON DATABASE postgres TO @_admin")
            try await server.link.script("SET ROLE \(server.name)_admin; \(script) RESET ROLE", within: .seconds(30))
            try await server.run("REASSIGN OWNED BY @_admin TO @")
            try await eventually {
                do { try await broker.driver.ensure(StreamSettings("s")) } catch BrokerError.refused { return false }
                return true
            }
            await broker.close()
            for role in ["@", "@_admin"] {
                try await server.run("DROP OWNED BY \(role) CASCADE")
                try await server.run("DROP ROLE \(role)")
            }
            await server.remove()
        }
    }
}
