import ArgumentParser
import Foundation
import ServiceLifecycle

struct API: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Runs a loopback API that charges cards until SIGTERM: healthy, then slow, then failing, in a loop.")

    @OptionGroup var weather: WeatherOptions
    @Option(help: "The port; any free one by default.") var port = 0
    @Option(help: "A file to write the port to.") var portFile: String?
    @Option(help: "A file to write each change of the API's state to: seconds since 1970, and the state.")
    var marks: String?

    func validate() throws {
        if !(0...65_535 ~= port) { throw ValidationError("--port needs 0 to 65535, not \(port)") }
    }

    func run() async throws {
        let server = weather.server
        let group = ServiceGroup(
            configuration: .init(
                services: [.init(service: Listening(server: server, options: self))],
                gracefulShutdownSignals: [.sigterm, .sigint], logger: Log.logger))
        try await group.run()
        let counts = server.counts
        Log.say(
            "api",
            [
                ("charged", counts.charged), ("again", counts.again), ("declined", counts.declined),
                ("failed", counts.failed),
            ])
    }

    private struct Listening: Service {
        let server: PaymentServer
        let options: API

        func run() async throws {
            let channel = try await server.listen(port: options.port)
            let port = channel.localAddress?.port ?? 0
            Log.say("listening", [("port", port)])
            if let file = options.portFile { try "\(port)\n".write(toFile: file, atomically: true, encoding: .utf8) }
            try await cancelWhenGracefulShutdown {
                var before = Weather.State.well
                while (try? await Task.sleep(for: .milliseconds(100))) != nil {
                    let now = server.now
                    if now != before, let marks = options.marks {
                        try Self.append("\(Log.now) api \(now)\n", to: marks)
                    }
                    before = now
                }
            }
            try await channel.close()
        }

        private static func append(_ line: String, to path: String) throws {
            let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
            let isWritten = file >= 0 && write(file, line, line.utf8.count) > 0
            guard file >= 0, close(file) == 0, isWritten else { throw Failure("'\(path)' cannot be written") }
        }
    }
}

struct WeatherOptions: ParsableArguments {
    @Option(help: "The number of seconds for which the API is healthy.") var well = 12.0
    @Option(help: "The number of seconds for which it is then slow.") var slow = 3.0
    @Option(help: "The number of seconds for which it then fails.") var failing = 3.0
    @Option(help: "The milliseconds that an answer takes while it is slow.") var delay = 650

    func validate() throws {
        for (option, value) in [("--well", well), ("--slow", slow), ("--failing", failing)]
        where !(0...86_400 ~= value) {
            throw ValidationError("\(option) needs 0 to 86400 seconds, not \(value)")
        }
        try delay.check("--delay", atLeast: 0)
    }

    var server: PaymentServer {
        PaymentServer(Weather(well: well, slow: slow, failing: failing), delayMilliseconds: delay)
    }
}
