import ArgumentParser
import Foundation

@main
struct RxOrders: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rx-orders",
        abstract: "An order service: orders are stored in a stream and charged by any number of worker processes.",
        discussion: """
            Without a subcommand everything runs in one process: orders are published to a file and charged at an API \
            that is sometimes slow or failing, and the charges are counted. With --broker nats://HOST:PORT, \
            postgres://HOST/DATABASE, or the path of one file, several processes share the work: 'api', 'publish', and \
            any number of 'work'. 'verify' reports whether each order was handled. 'schema' prints the script that \
            creates the tables in PostgreSQL.
            """,
        subcommands: [
            Run.self, Publish.self, Work.self, API.self, Watch.self, Verify.self, PrintSchema.self,
        ],
        defaultSubcommand: Run.self
    )

    /// Errors print one line to standard error. Usage errors exit with status 2.
    static func main() async {
        Output.begin()
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
                do {
                    try Output.write(fullMessage(for: error) + "\n")
                    Foundation.exit(0)
                } catch {
                    Output.complain("rx-orders: \(error)\n")
                    Foundation.exit(1)
                }
            }
            let words = (fileWords(error) ?? message(for: error)).split(separator: "\n").first.map(String.init)
            if let words, !words.isEmpty { Output.complain("rx-orders: \(words)\n") }
            Foundation.exit(code == .validationFailure ? 2 : code.rawValue)
        }
    }

    private static func fileWords(_ error: any Error) -> String? {
        guard let error = error as? CocoaError else { return nil }
        let path = error.userInfo[NSFilePathErrorKey] as? String ?? (error.userInfo[NSURLErrorKey] as? URL)?.path
        let why = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
        let words = why.map { String(cString: strerror(Int32($0.code))) } ?? "it cannot be read or written"
        return "\(path.map { "'\($0)'" } ?? "a file"): \(words)"
    }
}
