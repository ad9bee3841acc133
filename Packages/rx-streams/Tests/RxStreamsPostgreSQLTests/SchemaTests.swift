import Foundation
import RxStreams
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    struct SchemaTests {
        private func isRefused(_ error: any Error, _ words: String) -> Bool {
            guard let error = error as? ServerError else { return false }
            return error.state == ServerError.Own.refused && error.message.contains(words)
        }

        /// Base64 text that PostgreSQL cannot compress much.
        private static func id(_ length: Int) -> String {
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max) }
            return String(Data(bytes).base64EncodedString().prefix(length))
        }

        @Test(arguments: [#"{"n": 1}"#, #"{"a": "x", "b": null}"#, "[]", #"["x"]"#, "null", #""x""#, "1"])
        func rxPublishHeadersAreNoObjectOfStringsIsRefused(headers: String) async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            await #expect {
                try await server.run("SELECT @.rx_publish('s', 'x', headers => $1)", [.text(headers)])
            } throws: { isRefused($0, "stream s stores headers that are a JSON object of strings") }
            #expect(try await broker.driver.summary(of: "s").count == 0)
            await broker.close()
            await server.remove()
        }

        @Test(arguments: ["'1'::text", "'1'::jsonb", "'1'::bytea"])
        func rxPublishIdTooLongIsRefused(payload: String) async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            for length in [2_048, 2_049, 3_000] {
                let publish = "SELECT @.rx_publish('s', \(payload), id => $1)"
                if length == 2_048 {
                    try await server.run(publish, [.text(Self.id(length))])
                } else {
                    await #expect {
                        try await server.run(publish, [.text(Self.id(length))])
                    } throws: { isRefused($0, "at most 2048 bytes, and that of a message has \(length)") }
                }
            }
            try await server.run("SELECT @.rx_publish('s', \(payload))")
            #expect(try await broker.driver.summary(of: "s").count == 2)
            await broker.close()
            await server.remove()
        }

        @Test func appendIdTooLongIsRefused() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            let messages = [2_048, 3_000].map { NewMessage("s", [1], id: Self.id($0)) }
            let why = "stream s stores ids of at most 2048 bytes, and that of a message has 3000"
            await #expect(throws: BrokerError.refused(why)) { _ = try await broker.driver.append(messages, to: "s") }
            _ = try await broker.driver.append([messages[0]], to: "s")
            #expect(try await broker.driver.summary(of: "s").count == 1)
            await broker.close()
            await server.remove()
        }

        /// Creates the schema of the first version with a stream `s`.
        private func firstVersion(_ server: TestSchema) async throws {
            try await server.link.script(
                try Schema(server.name)(
                    Schema.steps[0] + """
                        UPDATE @.schema_version SET version = 1;
                        INSERT INTO @.streams (name, subjects, subject_pattern, default_subject, remembers)
                            VALUES ('s', '{s}', '^(?:s)$', 's', 120000000);
                        SELECT @.add_segment(id, 1, 1000) FROM @.streams;
                        """), within: .seconds(30))
        }

        @Test(arguments: [false, true]) func schemaOfFirstVersionIsMigrated(byScript: Bool) async throws {
            let server = try await TestSchema()
            try await firstVersion(server)
            try await server.run("SELECT @.rx_publish('s', 'a', headers => '{\"n\": 1}')")
            if byScript {
                let script = try PostgreSQLBroker.schemaScript(server.name, from: 1)
                try await server.link.script(script, within: .seconds(30))
            }
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            #expect(try await server.run("SELECT version FROM @.schema_version").integer(0, 0) == 2)
            await #expect(throws: ServerError.self) {
                try await server.run("SELECT @.rx_publish('s', 'b', headers => '{\"n\": 1}')")
            }
            #expect(try await broker.driver.summary(of: "s").count == 1)
            await broker.close()
            await server.remove()
        }

        @Test func roleThatMayNotMigrateGetsAdviceWithTheVersion() async throws {
            let server = try await TestSchema()
            try await firstVersion(server)
            try await server.run("CREATE ROLE @ LOGIN")
            try await server.run("GRANT USAGE ON SCHEMA @ TO @")
            try await server.run("GRANT SELECT ON @.schema_version TO @")
            let url = server.url.replacing("postgres://postgres@", with: "postgres://\(server.name)@")
            let broker = try PostgreSQLBroker(url, schema: server.name)
            await #expect {
                try await broker.driver.ensure(StreamSettings("s"))
            } throws: { error in
                if case BrokerError.refused(let why) = error {
                    why.contains("`rx-orders schema --print --from 1`")
                } else {
                    false
                }
            }
            await broker.close()
            try await server.run("DROP OWNED BY @ CASCADE")
            try await server.run("DROP ROLE @")
            await server.remove()
        }

        @Test(arguments: [
            (
                #"{"n": 1, "b": true, "z": null, "f": 0.5, "a": [1, "x/y"], "o": {"k": {}}, "s": "v"}"#,
                ["n": "1", "b": "true", "z": "null", "f": "0.5", "a": #"[1,"x/y"]"#, "o": #"{"k":{}}"#, "s": "v"]
            ),
            ("[]", [:]), ("null", [:]), (#""x""#, [:]), ("{}", [:]),
        ])
        func headersOfFirstSchemaAreDelivered(stored: String, headers: [String: String]) async throws {
            let server = try await TestSchema()
            try await firstVersion(server)
            try await server.run("SELECT @.rx_publish('s', 'x', headers => $1)", [.text(stored)])
            let broker = try server.broker()
            let member = try await broker.driver.join(GroupSettings("g"), of: "s")
            let read = try await broker.driver.read("s", from: Position(1), limit: 1, within: .seconds(5))
            let pulled = try await member.pull(upTo: 1, within: .seconds(5))
            #expect(read.map(\.message) == [NewMessage("s", Array("x".utf8), headers: headers)])
            #expect(pulled.map(\.stored) == read)
            await broker.close()
            await server.remove()
        }

        /// With its id, the message would have blocked the stream.
        @Test func waitingMessageOfFirstSchemaWithTooLongIdIsDeliveredWithoutIt() async throws {
            let server = try await TestSchema()
            try await firstVersion(server)
            try await server.run("SELECT @.rx_publish('s', 'a', id => $1)", [.text(Self.id(3_000))])
            try await server.run("SELECT @.rx_publish('s', 'b', id => 'b')")
            let broker = try server.broker()
            let read = try await broker.driver.read("s", from: Position(1), limit: 2, within: .seconds(5))
            #expect(
                read.map(\.message) == [
                    NewMessage("s", Array("a".utf8)), NewMessage("s", Array("b".utf8), id: "b"),
                ])
            await broker.close()
            await server.remove()
        }
    }
}
