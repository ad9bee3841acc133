import ArgumentParser
import Foundation

/// The Checkout worker: orders are published to a stream, and charged by any number of processes that share the work.
@main
struct RxOrders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rx-orders",
        abstract: "The Checkout worker: orders in a stream, charged by as many processes as there are.",
        discussion: """
            Without a subcommand all of it runs in one process: orders are published to a file, charged at an API that is \
            slow and fails now and then, and accounted for. With --broker nats://HOST:PORT, or the path of one file, any \
            number of processes share the work: 'api', 'publish', and as many 'work' as are wanted; 'verify' says whether \
            each order was handled.
            """,
        subcommands: [Run.self, Publish.self, Work.self, API.self, Watch.self, Verify.self], defaultSubcommand: Run.self
    )

    /// What is wrong is one line on standard error; with the status 2 where it is what was typed.
    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            let code = exitCode(for: error)
            if code.isSuccess {
                print(fullMessage(for: error))
                Foundation.exit(0)
            }
            let words = message(for: error).split(separator: "\n").first.map(String.init)
            if let words, !words.isEmpty { FileHandle.standardError.write(Data("rx-orders: \(words)\n".utf8)) }
            Foundation.exit(code == .validationFailure ? 2 : code.rawValue)
        }
    }
}
