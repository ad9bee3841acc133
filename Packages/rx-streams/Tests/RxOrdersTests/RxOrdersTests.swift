import Foundation
import Testing

/// The program as it is built, run as a process.
struct RxOrdersTests {
    private struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    private static func run(_ arguments: [String], in folder: String = NSTemporaryDirectory()) async throws -> Outcome {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("rx-orders")
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        // Files and no pipes: nobody has to read them meanwhile.
        let paths = ["out", "err"].map { NSTemporaryDirectory() + "rx-orders-\(UUID().uuidString).\($0)" }
        for path in paths { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        defer { for path in paths { try? FileManager.default.removeItem(atPath: path) } }
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: paths[0]))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: paths[1]))
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let texts = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
        return Outcome(status: process.terminationStatus, output: texts[0], errors: texts[1])
    }

    @Test(arguments: [
        ["publish", "--count", "0"], ["publish", "--rate", "x"], ["work"], ["work", "--api", "nowhere"],
        ["work", "--api", "127.0.0.1:80", "--concurrency", "0"], ["api", "--port", "70000"], ["--broker", ""],
        ["--broker", "kafka://somewhere"], ["fly"], ["verify"],
    ])
    func badInputIsOneLineAndTheStatus2(arguments: [String]) async throws {
        let outcome = try await Self.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("rx-orders: "))
        #expect(outcome.errors.count { $0 == "\n" } == 1)
        #expect(outcome.output.isEmpty)
    }

    @Test func aFileThatIsNoDatabaseIsOneLine() async throws {
        let outcome = try await Self.run(["--broker", "/dev/null/orders"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.count { $0 == "\n" } == 1)
        #expect(outcome.errors.contains("cannot be opened"))
    }

    @Test func inOneProcessEachOrderIsHandledOrDeadAlsoWhereTheAPIFails() async throws {
        let folder = NSTemporaryDirectory() + "rx-orders-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let outcome = try await Self.run(
            ["--count", "1200", "--well", "0.3", "--slow", "0.3", "--failing", "0.3", "--delay", "100"], in: folder)
        #expect(outcome.errors == "")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("     1199  handled\n"))
        #expect(outcome.output.contains("        1  dead\n"))
        #expect(outcome.output.contains("        0  lost\n"))
        #expect(outcome.output.contains("        0  charged twice\n"))
    }

    @Test func anOrderThatIsInNoLedgerIsLostAndOneThatIsThereTwiceWasChargedTwice() async throws {
        let folder = NSTemporaryDirectory() + "rx-orders-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let verify = ["verify", "--count", "20"]
        #expect(try await Self.run(["--count", "20"], in: folder).status == 0)
        #expect(try await Self.run(verify, in: folder).status == 0)
        let ledgers = try FileManager.default.contentsOfDirectory(atPath: folder + "/ledgers")
        let ledger = try folder + "/ledgers/" + #require(ledgers.first)
        let lines = try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n")
        let changed = lines.dropFirst() + [lines[1]]
        try (changed.joined(separator: "\n") + "\n").write(toFile: ledger, atomically: true, encoding: .utf8)
        let outcome = try await Self.run(verify, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("        1  lost   FAILED"))
        #expect(outcome.output.contains("        1  charged twice   FAILED"))
        #expect(outcome.output.hasSuffix("FAILED\n"))
    }
}
