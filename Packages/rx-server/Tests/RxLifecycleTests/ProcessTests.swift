import Foundation
import Testing

/// A real process gets a real signal in the midst of its work.
struct ProcessTests {
    private struct Outcome {
        let status: Int32
        let lines: [String]
        /// From the signal to the end.
        let duration: Duration
    }

    /// Starts the fixture, sends it a signal once it has said a line, and waits for its end.
    private static func run(_ way: String, signal: Int32?, after line: String = "charging") async throws -> Outcome {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("rx-lifecycle-fixture")
        process.arguments = [way]
        process.standardOutput = output
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        let (chunks, chunk) = AsyncStream.makeStream(of: Data.self)
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                chunk.finish()
            } else {
                chunk.yield(data)
            }
        }
        try process.run()
        // One that hangs for good fails its test by its status.
        let watch = Task {
            try await Task.sleep(for: .seconds(60))
            kill(process.processIdentifier, SIGKILL)
        }
        defer { watch.cancel() }
        var (text, sent) = ("", ContinuousClock.Instant?.none)
        for await data in chunks {
            text += String(decoding: data, as: UTF8.self)
            if let signal, sent == nil, text.contains(line) {
                sent = .now
                kill(process.processIdentifier, signal)
            }
        }
        for await _ in ends {}
        return Outcome(
            status: process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus,
            lines: text.split(separator: "\n").map(String.init),
            duration: sent.map { .now - $0 } ?? .zero)
    }

    @Test func onSIGTERMWhatWasBegunIsFinishedAndTheProcessExitsWithZero() async throws {
        let outcome = try await Self.run("finishes", signal: SIGTERM)
        #expect(outcome.lines == ["charging", "confirmed 0", "disposed", "left: nothing", "returned"])
        #expect(outcome.status == 0)
    }

    @Test func workThatHangsIsLeftAtTheDeadlineAndTold() async throws {
        let outcome = try await Self.run("hangs", signal: SIGTERM)
        #expect(
            outcome.lines == ["charging", "disposed", "left: 1 of charge, 1 of pipeline", "returned"])
        #expect(outcome.status == 3)
        #expect(outcome.duration >= .milliseconds(400))
    }

    @Test func aHandlerThatBlocksItsThreadDoesNotKeepTheProcess() async throws {
        let outcome = try await Self.run("blocks", signal: SIGTERM)
        #expect(
            outcome.lines.filter { $0 != "disposed" } == [
                "charging", "left: 1 of charge, 1 of orders, 1 of pipeline", "returned",
            ])
        #expect(outcome.status == 3)
        #expect(outcome.duration >= .milliseconds(400))
    }

    @Test func anErrorInTheMidstOfDrainingEndsTheProcessWithOne() async throws {
        let outcome = try await Self.run("fails", signal: SIGTERM)
        #expect(outcome.lines == ["charging", "disposed", "threw Declined()"])
        #expect(outcome.status == 1)
    }

    @Test func aSignalThatCancelsDisposesAtOnce() async throws {
        let outcome = try await Self.run("hangs", signal: SIGINT)
        #expect(
            outcome.lines == [
                "charging", "disposed", "left: 1 of charge, 1 of orders, 1 of pipeline", "threw CancellationError()",
            ])
        #expect(outcome.status == 1)
    }

    @Test func aPipelineThatCompletesEndsTheProcess() async throws {
        let outcome = try await Self.run("completes", signal: nil)
        #expect(outcome.lines == ["returned"])
        #expect(outcome.status == 0)
    }
}
