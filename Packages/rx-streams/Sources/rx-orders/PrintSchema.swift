import ArgumentParser
import RxStreams
import RxStreamsPostgreSQL

struct PrintSchema: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the script that creates the tables in PostgreSQL.",
        discussion: """
            The workers create the tables themselves if their user may do so. Otherwise an administrator runs this \
            script: rx-orders schema --print | psql DATABASE
            """)

    @Flag(name: .customLong("print"), help: "Prints the script; the only thing that this command does.")
    var prints = false
    @Option(help: "The name of the schema.") var name = "rx_streams"
    @Option(help: "The version of the existing schema; 0 for none.") var from = 0

    func run() throws {
        do {
            try Output.write(PostgreSQLBroker.schemaScript(name, from: from) + "\n")
        } catch BrokerError.refused(let why) {
            throw ValidationError(why)
        }
    }
}
