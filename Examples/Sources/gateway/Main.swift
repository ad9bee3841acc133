import ArgumentParser
import ExampleSupport

@main struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "A gateway in front of a service that fails on purpose.",
        discussion: """
            Starts the service and a gateway as separate processes and requests users from the gateway over HTTP, while \
            the service is healthy, fails, hangs, and is healthy again. Then the gateway receives SIGTERM during requests, \
            once with a service that answers and once with one that hangs. Prints a verdict. The exit status is 0 if the \
            gateway behaved as documented, 1 if not, 2 if an argument is wrong.
            """,
        subcommands: [Drive.self, Serve.self, Upstream.self], defaultSubcommand: Drive.self)

    static func main() async {
        await runToItsVerdict()
    }
}
