import ArgumentParser
import ExampleSupport

@main struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "A service with HTTP in, server-sent events out, and an orderly stop at SIGTERM.",
        discussion: """
            Starts the service as a process of its own, loads it with wrk and with clients that wait for their answer, \
            connects clients of server-sent events, and sends SIGTERM in the midst of the load; in both orders of its \
            two services. Prints a verdict; the status is 0 if every order that was accepted was handled and each \
            process ended within its span, 1 if not, 2 if an argument is wrong.
            """,
        subcommands: [Drive.self, Serve.self], defaultSubcommand: Drive.self)

    static func main() async {
        await runToItsVerdict()
    }
}
