import ArgumentParser
import AsyncHTTPClient
import ExampleSupport
import Foundation
import Synchronization

struct Drive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts the service and the gateway, sends requests, and prints the verdict.")

    @Option(help: "The number of clients that ask at once.") var clients = 64
    @Option(help: "The number of users that they ask for.") var users = 200
    @Option(help: "The seconds that each phase of the service lasts.") var seconds = 3
    @Option(help: "A file for the gateway's log.") var log: String?

    func validate() throws {
        try check("clients", clients, 1...500)
        try check("users", users, 1...1_000_000)
        try check("seconds", seconds, 2...3_600)
        if let log, !FileManager.default.createFile(atPath: log, contents: nil) {
            throw ValidationError("--log must be a writable file, not '\(log)'")
        }
    }

    func run() async throws {
        Child.endWithThisProcess()
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_024
        let http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let faults = try await verdict(Asking(http: http))
            try await http.shutdown()
            guard faults.isEmpty else {
                print("verdict: FAILED: \(faults.joined(separator: "; "))")
                throw ExitCode(1)
            }
            print("verdict: the gateway answers, fails fast, recovers, and stops without losing a question")
        } catch let error where !(error is ExitCode) {
            try? await http.shutdown()
            print("verdict: FAILED: \(error)")
            throw ExitCode(1)
        }
    }

    private func verdict(_ asking: Asking) async throws -> [String] {
        let service = try Child(["upstream", "--port", "0", "--attended"])
        defer { service.kill() }
        asking.upstream = "http://127.0.0.1:\(try await service.next("port")[0])"
        var faults = Faults()
        try await moods(asking, &faults)
        try await checkShutdown(asking, "slow", drain: 2_000, &faults)
        try await checkShutdown(asking, "hanging", drain: 300, &faults)
        return faults.all
    }

    private func moods(_ asking: Asking, _ faults: inout Faults) async throws {
        let gateway = try await start(asking, drain: 1_000)
        defer { gateway.kill() }

        let well = try await asking.phase("well", clients, users, seconds)
        print("the service is healthy: \(well.summary)")
        faults.unless(well.answered == well.asked, "\(well.asked - well.answered) questions failed though all was well")
        faults.unless(well.attempts <= well.asked, "the service was asked more often than the gateway")

        let failing = try await asking.phase("failing", clients, users, seconds)
        print("it fails:            \(failing.summary)")
        faults.unless(failing.answered == 0, "a failing service has answered")
        faults.unless(failing.attempts * 10 <= failing.asked, "a failing service was asked \(failing.attempts) times")

        let hanging = try await asking.phase("hanging", clients, users, seconds)
        print("it hangs:            \(hanging.summary)")
        faults.unless(hanging.slowest <= 1_500, "a client has waited for \(Int(hanging.slowest)) ms")
        faults.unless(hanging.attempts * 10 <= hanging.asked, "a hanging service was asked \(hanging.attempts) times")

        let back = try await asking.phase("well", clients, users, seconds)
        print("it is healthy again:    \(back.summary); all answered after \(Int(back.lastFailure)) ms")
        faults.unless(back.lastFailure <= 1_800, "failures for \(Int(back.lastFailure)) ms after the service was well")

        let metrics = try await asking.get("\(asking.gateway)/metrics").body
        print("its metrics, some of them:")
        for line in metrics.split(separator: "\n") where line.contains("flow.duration") { print("  \(line)") }
        let measured = metrics.split(separator: "\n").filter { $0.hasPrefix("gateway.users.subscribed") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
        // `asked` also counts the requests that `start` sent until the gateway answered.
        faults.unless(measured >= asking.asked, "\(measured) of \(asking.asked) questions were measured")
    }

    /// Sends SIGTERM to a gateway while thirty requests are in progress.
    private func checkShutdown(_ asking: Asking, _ mood: String, drain: Int, _ faults: inout Faults) async throws {
        try await asking.say(mood: "well")
        let gateway = try await start(asking, drain: drain), count = 30
        defer { gateway.kill() }
        try await asking.say(mood: mood)
        let before = try await asking.attempts()
        async let answers = withTaskGroup(of: Int.self) { group in
            for index in 0..<count { group.addTask { await asking.ask("last\(index)").status } }
            return await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        try await wait("the service has not been asked \(count) times") {
            try await asking.attempts() >= before + count
        }
        let signalled = ContinuousClock.now
        gateway.signal(SIGTERM)
        let left = try await gateway.next("left").joined(separator: " ")
        let status = try await gateway.end(), took = signalled.duration(to: .now).milliseconds
        let statuses = await answers
        print(
            "SIGTERM, \(count) questions under way, the service is \(mood), \(drain) ms to drain: "
                + "\(Asking.text(statuses)); left \(left); exit status \(status) after \(Int(took)) ms")
        faults.unless(status == 0, "the exit status was \(status)")
        faults.unless(statuses == [mood == "slow" ? 200 : 503: count], "last questions: \(Asking.text(statuses))")
        let isRight = mood == "slow" ? left == "nothing" : left == "1 of pipeline, \(count) of questions, 1 of sources"
        faults.unless(isRight, "the gateway reports as left: \(left)")
        faults.unless(took <= Double(drain) + 1_000, "it took \(Int(took)) ms to go")
    }

    private func start(_ asking: Asking, drain: Int) async throws -> Child {
        let errors = log.flatMap { FileHandle(forWritingAtPath: $0) } ?? FileHandle.nullDevice
        _ = try? errors.seekToEnd()
        let gateway = try Child(
            ["serve", "--port", "0", "--attended", "--upstream", asking.upstream, "--drain", "\(drain)"], errors: errors
        )
        asking.gateway = "http://127.0.0.1:\(try await gateway.next("port")[0])"
        try await wait("the gateway does not answer") { await asking.ask("first").status == 200 }
        return gateway
    }

    /// Repeats the check for up to 20 seconds.
    private func wait(_ fault: String, until isSo: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(20)
        while try await !isSo() {
            if ContinuousClock.now > end { throw Late(description: fault) }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    private struct Late: Error, CustomStringConvertible {
        let description: String
    }

    private struct Faults {
        private(set) var all: [String] = []

        mutating func unless(_ isSo: Bool, _ fault: @autoclosure () -> String) {
            if !isSo { all.append(fault()) }
        }
    }
}
