import ArgumentParser
import ExampleSupport
import Foundation
import Hummingbird
import Logging
import Synchronization

struct Upstream: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The service: GET /users/NAME. PUT /mood/well, failing, slow or hanging; GET /count.")

    @Option(help: "The port; 0 for any free one.") var port = 8_081
    @Flag(help: "Exit when standard input ends.") var attended = false

    enum Mood: String {
        case well
        /// Answers with an error at once.
        case failing
        case slow
        case hanging

        var pause: Duration {
            switch self {
            case .well: .milliseconds(5)
            case .failing: .zero
            case .slow: .milliseconds(400)
            case .hanging: .seconds(60)
            }
        }
    }

    private final class State: Sendable {
        let mood = Mutex(Mood.well)
        let count = Atomic(0)
    }

    func validate() throws {
        try check("port", port, 0...65_535)
    }

    func run() async throws {
        if attended { endWithStandardInput() }
        let state = State(), router = Router()
        router.get("/users/:name") { _, context in
            let name = try context.parameters.require("name"), mood = state.mood.withLock { $0 }
            state.count.add(1, ordering: .relaxed)
            try await Task.sleep(for: mood.pause)
            guard mood != .failing else { throw HTTPError(.internalServerError) }
            return "{\"name\":\"\(name)\"}"
        }
        router.put("/mood/:mood") { _, context in
            guard let mood = Mood(rawValue: try context.parameters.require("mood")) else {
                throw HTTPError(.badRequest)
            }
            state.mood.withLock { $0 = mood }
            return mood.rawValue
        }
        router.get("/count") { _, _ in "\(state.count.load(ordering: .relaxed))" }
        try await application(router, port: port, Logger(label: "upstream", level: .error)).runService()
    }
}

/// A server on loopback, which prints its port once it listens.
func application(_ router: Router<BasicRequestContext>, port: Int, _ logger: Logger) -> some ApplicationProtocol {
    Application(
        router: router, configuration: .init(address: .hostname("127.0.0.1", port: port), backlog: 1_024),
        onServerRunning: { channel in say("port \(channel.localAddress?.port ?? 0)") }, logger: logger)
}

extension Logger {
    init(label: String, level: Level) {
        self.init(label: label)
        logLevel = level
    }
}
