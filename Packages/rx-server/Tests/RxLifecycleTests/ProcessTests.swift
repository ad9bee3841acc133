import Foundation
import Testing

struct ProcessTests {
    private struct Outcome {
        let status: Int32
        let lines: [String]
        let duration: Duration
    }

    /// Starts the fixture, and sends `signal` when the fixture has printed `line`. Returns when the fixture has ended.
    private static func run(_ way: String, signal: Int32?, after line: String = "charging") async throws -> Outcome {
        let (process, output) = try start(way)
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(returning: follow(process, output, signal, line))
            }
        }
    }

    /// Returns the process, and a socket with its output. Processes that start at the same time would inherit a
    /// `Foundation.Pipe` and keep it open.
    private static func start(_ way: String) throws -> (process: pid_t, output: Int32) {
        let fixture = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("rx-lifecycle-fixture").path
        var (ends, process, actions) = ([Int32](repeating: 0, count: 2), pid_t(), posix_spawn_file_actions_t())
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var arguments = [strdup(fixture), strdup(way), nil]
        defer {
            posix_spawn_file_actions_destroy(&actions)
            for argument in arguments { free(argument) }
            close(ends[1])
        }
        try #require(posix_spawn(&process, fixture, &actions, nil, &arguments, environ) == 0)
        return (process, ends[0])
    }

    private static func follow(_ process: pid_t, _ output: Int32, _ signal: Int32?, _ line: String) -> Outcome {
        var (text, sent) = ("", ContinuousClock.Instant?.none)
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            var wait = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            // A process that hangs is killed, and its exit status fails the test.
            if poll(&wait, 1, 60_000) == 0 { kill(process, SIGKILL) }
            let count = read(output, &bytes, bytes.count)
            if count <= 0 { break }
            text += String(decoding: bytes[..<count], as: UTF8.self)
            if let signal, sent == nil, text.contains(line) {
                sent = .now
                kill(process, signal)
            }
        }
        close(output)
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return Outcome(
            status: status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f),
            lines: text.split(separator: "\n").map(String.init), duration: sent.map { .now - $0 } ?? .zero)
    }

    @Test func sigtermFinishesWorkInProgressAndExitsWithZero() async throws {
        let outcome = try await Self.run("finishes", signal: SIGTERM)
        #expect(outcome.lines == ["charging", "confirmed 0", "disposed", "left: nothing", "returned"])
        #expect(outcome.status == 0)
    }

    @Test func hangingWorkIsLeftAtDeadlineAndReported() async throws {
        let outcome = try await Self.run("hangs", signal: SIGTERM)
        #expect(
            outcome.lines == ["charging", "disposed", "left: 1 of charge, 1 of pipeline", "returned"])
        #expect(outcome.status == 3)
        #expect(outcome.duration >= .milliseconds(400))
    }

    @Test func blockedHandlerDoesNotKeepProcess() async throws {
        let outcome = try await Self.run("blocks", signal: SIGTERM)
        #expect(
            outcome.lines.filter { $0 != "disposed" } == [
                "charging", "left: 1 of charge, 1 of orders, 1 of pipeline", "returned",
            ])
        #expect(outcome.status == 3)
        #expect(outcome.duration >= .milliseconds(400))
    }

    @Test func errorDuringDrainExitsWithOne() async throws {
        let outcome = try await Self.run("fails", signal: SIGTERM)
        #expect(outcome.lines == ["charging", "disposed", "left: 1 of charge, 1 of pipeline", "threw Declined()"])
        #expect(outcome.status == 1)
    }

    @Test func cancellingSignalDisposesAtOnce() async throws {
        let outcome = try await Self.run("hangs", signal: SIGINT)
        #expect(
            outcome.lines == [
                "charging", "disposed", "left: 1 of charge, 1 of orders, 1 of pipeline", "threw CancellationError()",
            ])
        #expect(outcome.status == 1)
    }

    @Test func completedPipelineEndsProcess() async throws {
        let outcome = try await Self.run("completes", signal: nil)
        #expect(outcome.lines == ["returned"])
        #expect(outcome.status == 0)
    }
}
