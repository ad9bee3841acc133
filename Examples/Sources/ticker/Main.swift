import ArgumentParser
import ExampleSupport

@main struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ticker",
        abstract: "Sends one stream of quotes to thousands of clients, some of which stop reading.",
        discussion: """
            A Hummingbird server sends server-sent events, first from one shared sequence with a buffer of the newest \
            event for each client, then with an AsyncStream for each client. Clients in other processes measure the delay \
            of each event. After a while some of them are stopped with SIGSTOP. Prints a verdict. The exit status is 0 if \
            the first server's memory does not grow, its other clients have no further delay, and the second server's \
            memory grows; 1 if not, 2 if an argument is wrong.
            """,
        subcommands: [Compare.self, Serve.self, Watch.self], defaultSubcommand: Compare.self)

    static func main() async {
        await runToItsVerdict()
    }
}

/// The kind of queue in which events wait for a client.
enum Way: String, CaseIterable, ExpressibleByArgument {
    case newest
    case stream

    var name: String {
        switch self {
        case .newest: ".newest(1) for each client"
        case .stream: "an AsyncStream for each client"
        }
    }
}
