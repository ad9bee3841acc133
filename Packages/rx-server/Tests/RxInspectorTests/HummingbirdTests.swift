#if Hummingbird
    import Hummingbird
    import Testing

    @testable import RxInspector

    struct HummingbirdTests {
        @Test func routesAnswerBelowTheirPath() async throws {
            let router = Router()
            let inspector = Inspector(title: "served", period: .milliseconds(100))
            inspector.addRoutes(to: router, at: "/debug/inspector/")
            let (ports, port) = AsyncStream.makeStream(of: Int.self)
            let app = Application(
                router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
                onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await app.run() }
                let port = try #require(await ports.first { _ in true })
                let connection = try await Connection.open(port)
                let page = try await connection.ask("GET /debug/inspector", until: "</html>")
                #expect(page.contains("200 OK") && page.lowercased().contains("content-security-policy: default-src"))
                let json = try await connection.ask("GET /debug/inspector/snapshot.json", until: "\"warnings\":")
                #expect(json.contains("\"title\":\"served\""))
                let events = try await connection.ask("GET /debug/inspector/events", until: "}\n\n")
                #expect(events.contains("text/event-stream") && events.contains("data: {"))
                #expect(inspector.viewers == 1)
                try await connection.channel.close()
                while inspector.viewers > 0 { await Task.yield() }
                group.cancelAll()
                while (try? await group.next()) != nil {}
            }
        }
    }
#endif
