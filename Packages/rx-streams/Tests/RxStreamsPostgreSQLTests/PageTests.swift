import Foundation
import RxStreams
import Testing

@testable import RxStreamsPostgreSQL

extension ServerTests {
    struct PageTests {
        private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Sources/RxStreams/RxStreams.docc/StreamsInPostgreSQL.md")

        @Test func statementsOfThePageRun() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            let orders = broker.stream("orders", of: [String: String].self)
            try await orders.ensure()
            try await server.run("CREATE TABLE @.orders (id text)")
            try await server.run("SET search_path = @")
            let text = try String(contentsOf: Self.page, encoding: .utf8)
            let blocks = text.components(separatedBy: "```sql\n").dropFirst().compactMap {
                $0.components(separatedBy: "```").first
            }
            #expect(blocks.count >= 4)
            for block in blocks {
                await #expect(throws: Never.self, "\(block)") {
                    try await server.link.script(
                        block.replacing("rx_streams", with: server.name), within: .seconds(10))
                }
            }
            let read = try await broker.driver.read("orders", from: Position(1), limit: 9, within: .seconds(5))
            #expect(read.map(\.message.id) == ["o-1"])
            await broker.close()
            await server.remove()
        }

        @Test func roleWithTheRightsOfThePagePublishes() async throws {
            let server = try await TestSchema()
            let broker = try server.broker()
            try await broker.driver.ensure(StreamSettings("s"))
            try await server.run("CREATE ROLE @_shop LOGIN")
            for right in ["USAGE ON SCHEMA @", "SELECT ON @.streams, @.rotation", "INSERT ON @.inbox"] {
                try await server.run("GRANT \(right) TO @_shop")
            }
            let link = try await TestSchema.connect(
                server.url.replacing("postgres://postgres@", with: "postgres://\(server.name)_shop@"))
            try await link.script("SELECT \(server.name).rx_publish('s', '1')", within: .seconds(10))
            let read = try await broker.driver.read("s", from: Position(1), limit: 9, within: .seconds(5))
            #expect(read.map(\.message.payload) == [[49]])
            await #expect(throws: ServerError.self) {
                try await link.script("SELECT * FROM \(server.name).messages", within: .seconds(10))
            }
            link.close()
            await broker.close()
            try await server.run("DROP OWNED BY @_shop")
            try await server.run("DROP ROLE @_shop")
            await server.remove()
        }
    }
}
