import Foundation
import RxStreams
import Testing

@testable import RxStreamsPostgreSQL

/// A server with TLS, which the test can kill and whose clock it can set.
///
/// `scripts/postgres.sh run` sets `RX_POSTGRES_SCRIPT` to its own path.
final class TestServer: Sendable {
    static let script = ProcessInfo.processInfo.environment["RX_POSTGRES_SCRIPT"]

    let url: String
    private let port: String
    /// The file with the offset from the system's clock; nil without an offset.
    private let clock: String?

    init(hasClock: Bool = false) async throws {
        let clock = hasClock ? NSTemporaryDirectory() + "rx-clock-\(UInt64.random(in: .min ... .max))" : nil
        self.clock = clock
        if let clock { try "+0s\n".write(toFile: clock, atomically: true, encoding: .utf8) }
        for _ in 0..<10 {
            let port = "\(Int.random(in: 41_000..<59_000))"
            let output = try await Self.run(
                ["start", "--port", port, "--tls"] + (clock.map { ["--clock", $0] } ?? []))
            if output.hasPrefix("postgres://") {
                (url, self.port) = (output, port)
                return
            }
        }
        throw BrokerError.unavailable("the server did not start")
    }

    /// Does not wait for the script, because a wait would block a thread of Swift's pool.
    deinit {
        _ = try? Self.launch(["stop", "--port", port])
        if let clock { try? FileManager.default.removeItem(atPath: clock) }
    }

    /// Sets the server's clock `seconds` ahead of the system's clock, or behind it if `seconds` is negative.
    func setClock(to seconds: Int, _ link: Link) async throws {
        try "\(seconds < 0 ? "-" : "+")\(abs(seconds))s\n".write(
            toFile: try #require(clock), atomically: true, encoding: .utf8)
        let server = "SELECT extract(epoch FROM clock_timestamp())::bigint"
        try await eventually {
            let time = try await link.run(server, within: .seconds(10)).integer(0, 0) ?? 0
            return abs(Double(time) - Date().timeIntervalSince1970 - Double(seconds)) < 30
        }
        // Other server processes read the file within a second.
        try await Task.sleep(for: .milliseconds(1_200))
    }

    func kill() async throws { _ = try await Self.run(["kill", "--port", port]) }

    func restart() async throws { _ = try await Self.run(["restart", "--port", port]) }

    /// Runs one program at a time. Foundation detects a program's end when a descriptor closes. A server started at the
    /// same time would inherit the descriptor and keep it open. Waits block this queue, not Swift's pool.
    private static let programs = DispatchQueue(label: "programs of tests")

    static func onProgramQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { result in
            programs.async { result.resume(with: Result { try body() }) }
        }
    }

    private static func run(_ arguments: [String]) async throws -> String {
        try await onProgramQueue { try runHere(arguments) }
    }

    private static func launch(_ arguments: [String], output: Any = FileHandle.nullDevice) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(script))
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private static func runHere(_ arguments: [String]) throws -> String {
        let output = Pipe()
        let process = try launch(arguments, output: output)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
