import ArgumentParser
import ExampleSupport

@main struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "A service with HTTP in, server-sent events out, and an orderly stop at SIGTERM.",
        discussion: """
            Starts the service as a separate process, loads it with wrk and with clients that wait for their answer, \
            connects clients of server-sent events, and sends SIGTERM under load. Does so twice: once the server stops \
            first, once the pipeline. Prints a verdict. The exit status is 0 if every accepted order was handled and \
            each process ended in time, 1 if not, 2 if an argument is wrong.
            """,
        subcommands: [Drive.self, Serve.self], defaultSubcommand: Drive.self)

    static func main() async {
        await runToItsVerdict()
    }
}
