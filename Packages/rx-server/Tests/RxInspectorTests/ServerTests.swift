import NIOCore
import RxSwift
import Testing

@testable import RxInspector

@Suite(.serialized) struct ServerTests {
    private func with(_ body: (Inspector, Int) async throws -> Void) async throws {
        let inspector = Inspector(title: "served", period: .milliseconds(100))
        let server = try await InspectorServer.start(inspector)
        try await body(inspector, server.port)
        try await server.stop()
    }

    @Test func connectionAnswersSeveralRequests() async throws {
        try await with { _, port in
            let connection = try await Connection.open(port)
            let page = try await connection.ask("GET /", until: "</html>")
            #expect(page.hasPrefix("HTTP/1.1 200 OK\r\n") && page.contains("Content-Type: text/html"))
            let json = try await connection.ask("GET /snapshot.json", host: "localhost", until: "\"warnings\":")
            #expect(json.contains("\"title\":\"served\""))
            let none = try await connection.ask("GET /none", until: "no such page")
            #expect(none.hasPrefix("HTTP/1.1 404 "))
            try await connection.channel.close()
        }
    }

    @Test func requestForAnotherHostIsRefused() async throws {
        try await with { _, port in
            for host in ["evil.example", "127.0.0.1.evil.example:80", ""] {
                let connection = try await Connection.open(port)
                let answer = try await connection.ask("GET /snapshot.json", host: host, until: "\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 421 ") && !answer.contains("served"))
                try await connection.channel.close()
            }
        }
    }

    @Test func otherMethodIsRefused() async throws {
        try await with { _, port in
            let connection = try await Connection.open(port)
            let answer = try await connection.ask("POST /", until: "\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 405 "))
            try await connection.channel.close()
        }
    }

    @Test func refusalOfHeadHasNoBody() async throws {
        try await with { _, port in
            let connection = try await Connection.open(port)
            let refusal = try await connection.ask("HEAD /", until: "\r\n\r\n")
            #expect(refusal.hasPrefix("HTTP/1.1 405 ") && refusal.hasSuffix("\r\n\r\n"))
            let next = try await connection.ask("GET /none", until: "no such page")
            #expect(next.hasPrefix("HTTP/1.1 404 "))
            try await connection.channel.close()
        }
    }

    @Test func viewerLeavesWithItsConnection() async throws {
        try await with { inspector, port in
            let connection = try await Connection.open(port)
            let answer = try await connection.ask("GET /events", until: "}\n\n")
            #expect(answer.contains("Content-Type: text/event-stream") && answer.contains("data: {"))
            #expect(inspector.viewers == 1)
            try await connection.channel.close()
            while inspector.viewers > 0 { await Task.yield() }
        }
    }

    @Test func serverStopsListening() async throws {
        let server = try await InspectorServer.start(Inspector(title: "served"))
        try await server.stop()
        try await server.stop()
        await #expect(throws: (any Error).self) { try await Connection.open(server.port) }
    }
}
