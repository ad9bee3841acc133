import ArgumentParser
import ExampleSupport
import Foundation
import RxSwift
import Synchronization

struct Compare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs both servers, and prints the verdict.")

    @Option(help: "The number of clients.") var clients = 2_000
    @Option(help: "The number of clients that are stopped with SIGSTOP.") var stopped = 50
    @Option(help: "Events per second for each client.") var rate = 3
    @Option(help: "The number of symbols that each client watches; 50 bytes each.") var symbols = 256
    @Option(help: "The seconds before clients are stopped.") var before = 6
    @Option(help: "The seconds after that.") var after = 20
    @Option(help: "The MiB by which the first server's memory may grow after that.") var memory = 12
    @Option(help: "A file for the plot, an SVG.") var plot: String?

    func validate() throws {
        try check("clients", clients, 2...50_000)
        try check("stopped", stopped, 1...clients - 1)
        try check("rate", rate, 1...100)
        try check("symbols", symbols, 1...Tick.symbols)
        try check("before", before, 3...3_600)
        try check("after", after, 3...36_000)
        try check("memory", memory, 1...10_000)
        let files = raiseFileLimit()
        guard clients + 100 <= files else {
            throw ValidationError("--clients must be at most \(files - 100): a process may open \(files) files")
        }
        if let plot, !FileManager.default.fileExists(atPath: URL(filePath: plot).deletingLastPathComponent().path) {
            throw ValidationError("--plot must be a file in an existing folder, not '\(plot)'")
        }
    }

    func run() async throws {
        Child.endWithThisProcess()
        print("\(clients) clients, \(rate) events a second for each; \(stopped) are stopped after \(before) s")
        var courses: [Course] = []
        for way in Way.allCases {
            let course = try await course(way)
            print("\(way.name):")
            for line in course.summary { print("  \(line)") }
            courses.append(course)
        }
        if let plot {
            try Plot(courses: courses, stoppedAfter: Double(before)).svg
                .write(toFile: plot, atomically: true, encoding: .utf8)
        }
        let (newest, stream) = (courses[0], courses[1])
        let isFlat = newest.growth <= memory << 20
        let isCalm = newest.slowest(in: newest.afterStop) <= newest.slowest(in: newest.beforeStop) * 2 + 10
        let isShown = stream.growth > 2 * max(newest.growth, 4 << 20)
        // On an overloaded machine the ticks themselves are late, and the result is meaningless.
        let due = (clients - stopped) * rate * (before + after) * 4 / 5
        let isKeptUp = courses.allSatisfy { $0.before.events + $0.after.events >= due }
        guard isFlat && isCalm && isShown else {
            let reasons =
                (isKeptUp ? [] : ["the machine is too slow for this number of clients; try --clients 500"])
                + (isFlat ? [] : ["the first server's memory grew"])
                + (isCalm ? [] : ["the other clients' events became later"])
                + (isShown ? [] : ["the second server's memory grew too little to compare, try to stop more clients"])
            print("verdict: FAILED: \(reasons.joined(separator: ", "))")
            throw ExitCode(1)
        }
        print("verdict: with .newest(1) the stopped clients cost nothing; with an AsyncStream each, memory")
    }

    private func course(_ way: Way) async throws -> Course {
        let server = try Peer([
            "serve", "--way", way.rawValue, "--rate", "\(rate * Tick.markets)", "--port", "0", "--attended",
        ])
        defer { server.kill() }
        let port = try await server.next("port")[0]
        let watch = ["watch", "--port", "\(Int(port))", "--symbols", "\(symbols)", "--clients"]
        let others = try Peer(watch + ["\(clients - stopped)"]), sleepers = try Peer(watch + ["\(stopped)"])
        defer {
            others.kill()
            sleepers.kill()
        }
        _ = try await others.next("ready")
        _ = try await sleepers.next("ready")
        try await Task.sleep(for: .seconds(3))

        _ = try await others.phase()
        let begin = DispatchTime.now().uptimeNanoseconds, looks = Looks()
        let process = server.identifier
        let watching = Observable<Int>
            .timer(.nanoseconds(0), period: .milliseconds(100), scheduler: PthreadScheduler(name: "memory"))
            .subscribe(onNext: { _ in looks.add(residentBytes(of: process), since: begin) })
        defer { watching.dispose() }
        try await Task.sleep(for: .seconds(before))
        let phaseBefore = try await others.phase()
        kill(sleepers.identifier, SIGSTOP)
        try await Task.sleep(for: .seconds(after))
        let phaseAfter = try await others.phase()
        return Course(
            way: way, looks: looks.all, stoppedAfter: Double(before),
            seconds: others.seconds.filter { $0[0] > Double(begin) }.map {
                ((($0[0] - Double(begin)) / 1e9), $0[3] / 1_000)
            },
            before: phaseBefore, after: phaseAfter)
    }

    private final class Looks: Sendable {
        private let looks = Mutex<[Course.Look]>([])

        var all: [Course.Look] { looks.withLock { $0 } }

        func add(_ bytes: Int, since begin: UInt64) {
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - begin) / 1e9
            looks.withLock { $0.append(Course.Look(seconds: seconds, bytes: bytes)) }
        }
    }
}

struct Course {
    struct Look {
        let seconds: Double
        let bytes: Int
    }

    /// Delays are in milliseconds.
    struct Phase {
        let events: Int
        let median: Double
        /// The 99th percentile of the delays.
        let slowest: Double
        /// The number of events that newer events replaced.
        let missed: Int

        init(_ numbers: [Double]) {
            (events, median, slowest, missed) =
                (Int(numbers[1]), numbers[2] / 1_000, numbers[3] / 1_000, Int(numbers[4]))
        }

        var summary: String {
            let times = String(format: "median %.1f ms, 99 of 100 within %.1f ms", median, slowest)
            return "\(times), of \(grouped(events)) events; \(grouped(missed)) left out"
        }
    }

    let way: Way
    let looks: [Look]
    let stoppedAfter: Double
    /// For each second: the time in seconds, and the 99th percentile of the delays in milliseconds.
    let seconds: [(Double, Double)]
    let before: Phase
    let after: Phase

    /// The median memory in the second before the stop, and in the last second.
    private var memoryBefore: Int { middle(in: (stoppedAfter - 1)...stoppedAfter) }
    private var memoryAfter: Int { middle(in: ((looks.last?.seconds ?? 1) - 1)...(.infinity)) }
    var growth: Int { memoryAfter - memoryBefore }

    private func middle(in span: ClosedRange<Double>) -> Int {
        let bytes = looks.filter { span.contains($0.seconds) }.map(\.bytes).sorted()
        return bytes.isEmpty ? 0 : bytes[bytes.count / 2]
    }

    var beforeStop: ClosedRange<Double> { 0...stoppedAfter }
    var afterStop: ClosedRange<Double> { (stoppedAfter + 1)...(.infinity) }

    /// The median of the 99th percentiles of all seconds in a span. One busy moment of the machine does not affect it.
    func slowest(in span: ClosedRange<Double>) -> Double {
        let all = seconds.filter { span.contains($0.0) }.map(\.1).sorted()
        return all.isEmpty ? 0 : all[all.count / 2]
    }

    var summary: [String] {
        [
            "the other clients before: \(before.summary)",
            "the other clients after:  \(after.summary)",
            String(
                format: "the middle one of the seconds' 99th percentiles: %.1f ms before, %.1f ms after",
                slowest(in: beforeStop), slowest(in: afterStop)),
            "the server's memory: \(mebibytes(memoryBefore)) before, \(mebibytes(memoryAfter)) at the end",
        ]
    }
}
