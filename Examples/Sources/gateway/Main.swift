import ArgumentParser
import ExampleSupport

@main struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "A gateway in front of a service that fails on purpose.",
        discussion: """
            Starts the service and a gateway as processes of their own and asks the gateway for users over HTTP, while the \
            service is well, fails, hangs, and is well again. Then the gateway gets SIGTERM in the midst of work, once \
            with a service that answers and once with one that hangs. Prints a verdict; the status is 0 where the gateway \
            did what it promises, 1 where it did not, 2 where an argument is wrong.
            """,
        subcommands: [Drive.self, Serve.self, Upstream.self], defaultSubcommand: Drive.self)

    static func main() async {
        await runToItsVerdict()
    }
}
