import Foundation
import RxStreams
import Testing

@testable import RxStreamsPostgreSQL

/// A server of a test's own, with TLS, which the test can kill.
///
/// `scripts/postgres.sh run` sets `RX_POSTGRES_SCRIPT` to its own path.
final class TestServer: Sendable {
    static let script = ProcessInfo.processInfo.environment["RX_POSTGRES_SCRIPT"]

    /// The URL, which requires the server's certificate.
    let url: String
    private let port: String

    init() throws {
        for _ in 0..<10 {
            let port = "\(Int.random(in: 41_000..<59_000))"
            let output = try Self.run(["start", "--port", port, "--tls"])
            if output.hasPrefix("postgres://") {
                (url, self.port) = (output, port)
                return
            }
        }
        throw BrokerError.unavailable("the server did not start")
    }

    deinit { _ = try? Self.run(["stop", "--port", port]) }

    func kill() throws { _ = try Self.run(["kill", "--port", port]) }

    func restart() throws { _ = try Self.run(["restart", "--port", port]) }

    /// Runs the script and returns what it prints, without the line break.
    private static func run(_ arguments: [String]) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: try #require(script))
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
