import ArgumentParser
import ExampleSupport

@main struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ticker",
        abstract: "Sends one stream of quotes to thousands of clients, some of which stop reading.",
        discussion: """
            A Hummingbird server sends server-sent events, first out of one shared sequence with a place for the newest \
            event for each client, then with an AsyncStream for each client. Clients in other processes measure how late \
            each event is; after a while some of them are stopped with SIGSTOP. Prints a verdict; the status is 0 where \
            the first server's memory is flat and the other clients notice nothing, and the second one's grows, 1 where \
            that is not so, 2 where an argument is wrong.
            """,
        subcommands: [Compare.self, Serve.self, Watch.self], defaultSubcommand: Compare.self)

    static func main() async {
        await runToItsVerdict()
    }
}

/// How events wait for a client.
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
