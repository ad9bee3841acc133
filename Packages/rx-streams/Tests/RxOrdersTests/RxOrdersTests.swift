import Foundation
import Testing

struct RxOrdersTests {
    private struct Outcome {
        let status: Int32
        let output: String
        let errors: String
    }

    private static var program: URL {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("rx-orders")
    }

    /// - Parameter output: the shell redirection of standard output, such as `>&-`.
    private static func run(
        _ arguments: [String], in folder: String = NSTemporaryDirectory(), output: String? = nil
    ) async throws -> Outcome {
        let process = Process()
        process.executableURL = output == nil ? program : URL(fileURLWithPath: "/bin/sh")
        process.arguments = output.map { ["-c", "exec \"$0\" \"$@\" \($0)", program.path] + arguments } ?? arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        // Files receive the output, because a pipe would have to be read while the process runs.
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
        ["publish", "--count", "0"], ["publish", "--from", "1000000000000000", "--count", "2"],
        ["publish", "--from", "\(Int.max)"], ["publish", "--rate", "x"], ["work"], ["work", "--api", "nowhere"],
        ["work", "--api", "127.0.0.1:80", "--concurrency", "0"], ["api", "--port", "70000"], ["--broker", ""],
        ["work", "--broker", "/dev/null/orders", "--api", "127.0.0.1:80", "--drain", "0"],
        ["work", "--broker", "/dev/null/orders", "--api", "127.0.0.1:80", "--drain", "\(Int.max)"],
        ["--broker", "kafka://somewhere"], ["fly"], ["verify"], ["--broker", "nats://"],
        ["--broker", "nats://:4222"], ["--broker", "nats://a:99999"], ["--broker", "nats://127.0.0.1:1,http://x"],
        ["--broker", "file:x"], ["--broker", ":memory:"], ["--count", "\(Int.max)"],
        ["verify", "--count", "1000000000000001"], ["watch", "--count", "\(Int.max)"],
        ["watch", "--count", "1", "--timeout", "\(Int.max)"],
        ["verify", "--count", "1", "--broker", "rx-orders-that-is-not-there.sqlite"],
        ["--broker", "127.0.0.1:4222"], ["--broker", "token@host:4222"], ["--broker", "me:secret@host:4222"],
        ["--broker", "localhost:4222"], ["--broker", "a:1,b:2"], ["--broker", "[::1]:4222"], ["--broker", "127.0.0.1"],
        ["schema", "--name", "A"], ["schema", "--from", "99"],
    ])
    func badInputPrintsOneLineAndExitsWithStatus2(arguments: [String]) async throws {
        let outcome = try await Self.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("rx-orders: "))
        #expect(outcome.errors.count { $0 == "\n" } == 1)
        #expect(outcome.output.isEmpty)
    }

    private static func inFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let folder = NSTemporaryDirectory() + "rx-orders-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }

    @Test func addressWithoutSchemeAsBrokerIsRefusedWithWhatToWrite() async throws {
        let outcome = try await Self.run(["--broker", "secret@host:4222"])
        #expect(outcome.status == 2 && outcome.errors.contains("nats://…@host:4222"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("secret"))
    }

    @Test(arguments: ["./127.0.0.1:4222", "orders@2.sqlite", "a:b", "orders.2024:", "v1.2"])
    func nameOfFileAsBrokerIsAFile(path: String) async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            let outcome = try await Self.run(["--count", "1", "--broker", path], in: folder)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(FileManager.default.fileExists(atPath: folder + "/" + path))
        }
    }

    @Test(arguments: [
        ["--count", "\(Int.max)"], ["verify", "--count", "1", "--broker", "typo.sqlite"],
        ["--broker", "127.0.0.1:4222"], ["--broker", "token@host:4222"],
    ])
    func refusedCommandCreatesNoFiles(arguments: [String]) async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            #expect(try await Self.run(arguments, in: folder).status == 2)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test(arguments: [">/dev/full", ">&-", ">&- 2>&-"]) func publishWithUnwritableOutputSucceeds(output: String)
        async throws
    {
        try await Self.inFolder { (folder: String) async throws -> Void in
            let outcome = try await Self.run(["publish", "--count", "5"], in: folder, output: output)
            #expect(outcome.status == 0)
            #expect(outcome.errors == "")
            // If standard output was closed, the database file could have got its descriptor and received the output.
            // This run checks the file.
            let verdict = try await Self.run(["--count", "5"], in: folder)
            #expect(verdict.status == 0, "\(verdict)")
        }
    }

    @Test(arguments: [
        (["verify", "--count", "5"], ">/dev/full", "No space left on device"),
        (["verify", "--count", "5"], ">&-", "it is closed"),
        (["watch", "--count", "5"], ">/dev/full", "No space left on device"),
        (["--count", "5"], ">&-", "it is closed"), (["--help"], ">/dev/full", "No space left on device"),
    ])
    func unwritableOutputEndsWithOneLine(_ arguments: [String], _ output: String, _ why: String) async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            #expect(try await Self.run(["--count", "5"], in: folder).status == 0)
            let outcome = try await Self.run(arguments, in: folder, output: output)
            #expect(outcome.status == 1)
            #expect(outcome.errors == "rx-orders: standard output: \(why)\n")
        }
    }

    @Test func schemaPrintedIsTheScriptOfTheNamedSchema() async throws {
        let outcome = try await Self.run(["schema", "--print", "--name", "mine"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.hasPrefix("BEGIN;"))
        #expect(outcome.output.hasSuffix("COMMIT;\n"))
        #expect(outcome.output.contains("CREATE FUNCTION mine.rx_publish("))
        #expect(!outcome.output.contains("rx_streams."))
    }

    @Test func maximalNumberOfOrdersIsCounted() async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            #expect(try await Self.run(["--count", "5"], in: folder).status == 0)
            let outcome = try await Self.run(["verify", "--count", "1000000000000000"], in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.output.contains("999999999999995  lost   FAILED: expected 0\n"))
            #expect(
                try await Self.run(["verify", "--count", "4"], in: folder).output.contains(
                    "1  never published   FAILED"))
        }
    }

    @Test func ledgersOfAnotherBrokerAreNamed() async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            #expect(try await Self.run(["--count", "5"], in: folder).status == 0)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            let outcome = try await Self.run(["--count", "5", "--broker", "other.sqlite"], in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("rx-orders: the ledgers in 'ledgers' belong to a run with another broker"))
            #expect(outcome.errors.count { $0 == "\n" } == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == files)
            // `watch` creates the other broker's file, without orders.
            _ = try await Self.run(["watch", "--count", "1", "--timeout", "1", "--broker", "other.sqlite"], in: folder)
            #expect(
                try await Self.run(["--count", "5", "--broker", "other.sqlite"], in: folder).errors == outcome.errors)
        }
    }

    @Test func folderThatCannotBeCreatedPrintsOneLine() async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            let outcome = try await Self.run(["--count", "5", "--ledgers", "/proc/x"], in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors == "rx-orders: '/proc/x': No such file or directory\n")
        }
    }

    @Test func watchWithNothingToWatchSaysWhy() async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            let outcome = try await Self.run(["watch", "--count", "5", "--timeout", "1"], in: folder)
            #expect(outcome.status == 1)
            #expect(outcome.errors == "rx-orders: the work is not done after 1 s: there is no stream orders\n")
        }
    }

    @Test func fileThatIsNoDatabasePrintsOneLine() async throws {
        let outcome = try await Self.run(["--broker", "/dev/null/orders"])
        #expect(outcome.status == 1)
        #expect(outcome.errors.count { $0 == "\n" } == 1)
        #expect(outcome.errors.contains("cannot be opened"))
    }

    @Test func ordersWithFailingAPIAreHandledOrDeadLettered() async throws {
        let folder = NSTemporaryDirectory() + "rx-orders-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let outcome = try await Self.run(
            [
                "--count", "1200", "--concurrency", "64", "--well", "1", "--slow", "0.3", "--failing", "0.3", "--delay",
                "100",
            ], in: folder)
        #expect(outcome.errors == "")
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("     1199  handled\n"))
        #expect(outcome.output.contains("        1  dead\n"))
        #expect(outcome.output.contains("        0  lost\n"))
        #expect(outcome.output.contains("        0  charged twice\n"))
    }

    @Test(arguments: [1, 0]) func lostAPIConnectionIsReestablished(answers: Int) async throws {
        let folder = NSTemporaryDirectory() + "rx-orders-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try await Self.run(["publish", "--count", "5"], in: folder).status == 0)
        let api = try CurtAPI(answers: answers)
        let worker = try Self.worker(at: api, concurrency: 1, in: folder)
        defer { if worker.isRunning { kill(worker.processIdentifier, SIGKILL) } }
        var handled = 0
        for _ in 0..<600 where handled < 5 {
            try await Task.sleep(for: .milliseconds(100))
            handled = Self.lines(inLedgersOf: folder)
        }
        #expect(handled == 5)
        withExtendedLifetime(api) {}
    }

    @Test func watchWaitsForUnsettledOrders() async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            #expect(try await Self.run(["publish", "--count", "5"], in: folder).status == 0)
            let api = try CurtAPI(answers: nil)
            let worker = try Self.worker(at: api, concurrency: 8, in: folder)
            defer { if worker.isRunning { kill(worker.processIdentifier, SIGKILL) } }
            var seen = ""
            for _ in 0..<60 where !seen.contains("\t5\t0\t5\t0\n") {
                let outcome = try await Self.run(["watch", "--count", "5", "--timeout", "1"], in: folder)
                #expect(outcome.status == 1)
                seen += outcome.output
            }
            #expect(seen.contains("\t5\t0\t5\t0\n"), "\(seen)")
            withExtendedLifetime(api) {}
        }
    }

    /// A kill or a full disk may cut off the last line. A process with the same identifier then appends to the file.
    @Test func tornLedgerLineIsFollowedByNewLine() async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            #expect(try await Self.run(["publish", "--count", "5"], in: folder).status == 0)
            let api = try CurtAPI(answers: .max)
            let worker = try Self.worker(
                at: api, concurrency: 8, in: folder,
                after: "mkdir ledgers && printf '0-torn o' > ledgers/ledger-$$.txt")
            defer { if worker.isRunning { kill(worker.processIdentifier, SIGKILL) } }
            for _ in 0..<600 where Self.lines(inLedgersOf: folder) < 6 {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(Self.lines(inLedgersOf: folder) == 6)
            let outcome = try await Self.run(["watch", "--count", "5", "--timeout", "60"], in: folder)
            #expect(outcome.status == 0)
            let verdict = try await Self.run(["verify", "--count", "5"], in: folder)
            #expect(verdict.status == 0, "\(verdict.output)")
            withExtendedLifetime(api) {}
        }
    }

    @Test func publishRateMayBeLow() async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            let outcome = try await Self.run(["publish", "--count", "2", "--rate", "20"], in: folder)
            #expect(outcome.status == 0)
            #expect(outcome.errors == "")
        }
    }

    @Test(arguments: [([400, 20, 22], 0), ([400, 20, 120], 1), ([20, 20, 20], 0), ([20, 20, 60], 1)])
    func memoryGrowthInLastThirdOfRunIsDetected(_ thirds: [Int], _ status: Int) async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            #expect(try await Self.run(["--count", "5"], in: folder).status == 0)
            try FileManager.default.createDirectory(atPath: folder + "/run", withIntermediateDirectories: true)
            let memory = thirds.flatMap { [$0, $0, $0] }.enumerated()
                .map { "\($0.offset)\t\($0.element * 1_024)\n" }.joined()
            for (name, text) in [
                ("memory.tsv", memory), ("watch.tsv", "1\t5\t5\t0\t0\n2\t5\t0\t0\t0\n"),
                ("marks.txt", "1 begun\n"), ("checks.tsv", "ok\tsomething\n"),
            ] { try text.write(toFile: "\(folder)/run/\(name)", atomically: true, encoding: .utf8) }
            let outcome = try await Self.run(["verify", "--count", "5", "--page", "run"], in: folder)
            #expect(outcome.status == Int32(status), "\(outcome)")
            #expect(
                outcome.output.contains("\(thirds[1]) MiB in the middle third, \(thirds[2]) MiB in the last"))
            #expect(FileManager.default.fileExists(atPath: folder + "/run/index.html"))
        }
    }

    /// - Parameter script: the shell command that runs first, in the worker's folder and process.
    private static func worker(at api: CurtAPI, concurrency: Int, in folder: String, after script: String = "true")
        throws -> Process
    {
        let worker = Process()
        worker.executableURL = URL(fileURLWithPath: "/bin/sh")
        worker.arguments = [
            "-c", "\(script); exec \"$0\" \"$@\"", program.path, "work", "--api", "127.0.0.1:\(api.port)",
            "--concurrency", "\(concurrency)",
        ]
        worker.currentDirectoryURL = URL(fileURLWithPath: folder)
        worker.standardOutput = FileHandle.nullDevice
        worker.standardError = FileHandle.nullDevice
        try worker.run()
        return worker
    }

    private static func lines(inLedgersOf folder: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/ledgers")) ?? []
        return names.reduce(0) { count, name in
            let text = (try? String(contentsOfFile: "\(folder)/ledgers/\(name)", encoding: .utf8)) ?? ""
            return count + text.split(separator: "\n").count
        }
    }

    @Test func ledgerCheckFindsLostAndDoubleCharges() async throws {
        let folder = NSTemporaryDirectory() + "rx-orders-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let verify = ["verify", "--count", "20"]
        #expect(try await Self.run(["--count", "20"], in: folder).status == 0)
        #expect(try await Self.run(verify, in: folder).status == 0)
        let ledgers = try FileManager.default.contentsOfDirectory(atPath: folder + "/ledgers")
        let ledger = try folder + "/ledgers/" + #require(ledgers.first)
        let lines = try String(contentsOfFile: ledger, encoding: .utf8).split(separator: "\n")
        try #require(lines.count == 20)
        let changed = lines.dropFirst() + [lines[1]]
        try (changed.joined(separator: "\n") + "\n").write(toFile: ledger, atomically: true, encoding: .utf8)
        let outcome = try await Self.run(verify, in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("        1  lost   FAILED"))
        #expect(outcome.output.contains("        1  charged twice   FAILED"))
        #expect(outcome.output.hasSuffix("FAILED\n"))
    }

    @Test func chargeSuppressedByIDIsNotDouble() async throws {
        try await Self.inFolder { (folder: String) async throws -> Void in
            #expect(try await Self.run(["--count", "5"], in: folder).status == 0)
            let ledgers = try FileManager.default.contentsOfDirectory(atPath: folder + "/ledgers")
            let ledger = try folder + "/ledgers/" + #require(ledgers.first)
            let text = try String(contentsOfFile: ledger, encoding: .utf8)
            let line = try #require(text.split(separator: "\n").first { $0.hasSuffix(" ok") })
            try (text + line.dropLast(2) + "again\n").write(toFile: ledger, atomically: true, encoding: .utf8)
            let outcome = try await Self.run(["verify", "--count", "5"], in: folder)
            #expect(outcome.status == 0)
            #expect(outcome.output.contains("        1  handled more than once\n"))
            #expect(outcome.output.contains("        1  charges suppressed by id\n"))
            #expect(outcome.output.contains("        0  charged twice\n"))
        }
    }

    @Test func tornLedgerLineIsIgnored() async throws {
        let folder = NSTemporaryDirectory() + "rx-orders-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(try await Self.run(["--count", "5"], in: folder).status == 0)
        let ledgers = try FileManager.default.contentsOfDirectory(atPath: folder + "/ledgers")
        let ledger = try folder + "/ledgers/" + #require(ledgers.first)
        let text = try String(contentsOfFile: ledger, encoding: .utf8)
        try #require(text.hasSuffix(" ok\n"))
        try String(text.dropLast()).write(toFile: ledger, atomically: true, encoding: .utf8)
        let outcome = try await Self.run(["verify", "--count", "5"], in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("        4  handled\n"))
        #expect(outcome.output.contains("        1  lost   FAILED"))
    }
}

/// Accepts every charge, and closes the first connection after `answers` answers. If `answers` is nil, accepts no
/// connection, and callers wait.
private final class CurtAPI: Sendable {
    let port: Int
    private let listener: Int32

    init(answers: Int?) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 16) == 0
                    ? getsockname(listener, address, &length) : -1
            }
        }
        try #require(result == 0)
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        guard let answers else { return }
        Thread.detachNewThread {
            var left = answers
            while true {
                let caller = accept(listener, nil, nil)
                if caller < 0, errno == EINTR { continue }
                if caller < 0 { break }
                CurtAPI.serve(caller, left)
                close(caller)
                left = .max
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func serve(_ caller: Int32, _ answers: Int) {
        var (left, text, bytes) = (answers, "", [UInt8](repeating: 0, count: 4_096))
        while case let count = read(caller, &bytes, bytes.count), count > 0 {
            text += String(decoding: bytes[..<count], as: UTF8.self)
            while let end = text.firstIndex(of: "\n") {
                let words = text[..<end].split(separator: " ").map(String.init)
                text = String(text[text.index(after: end)...])
                let answer = Array("\(words[1]) ok\n".utf8)
                guard left > 0, send(caller, answer, answer.count, Int32(MSG_NOSIGNAL)) == answer.count else { return }
                left -= 1
                if left == 0 { return }
            }
        }
    }
}
