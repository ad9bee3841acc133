import ExampleSupport
import Foundation
import Synchronization

/// The counts that the writing process has stored in a file.
struct Truth {
    let counts: [Key: Int]
    let bytes: Int

    var lines: Int { counts.values.reduce(0, +) }

    init(contentsOf path: String) throws {
        let rows = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { row in
            row.split(separator: "\t").compactMap { Int($0) }
        }
        bytes = rows[0][0]
        counts = Dictionary(uniqueKeysWithValues: rows.dropFirst().map { (Key(second: $0[0], status: $0[1]), $0[2]) })
    }
}

struct Writer {
    private let process: Process
    let isOver: @Sendable () -> Bool

    init(_ arguments: [String]) throws {
        let process = another(arguments), flag = Flag()
        process.terminationHandler = { _ in flag.value.store(true, ordering: .releasing) }
        try process.run()
        self.process = process
        isOver = { flag.value.load(ordering: .acquiring) }
    }

    func wait() throws {
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
    }

    struct Failure: Error, CustomStringConvertible {
        let status: Int32
        var description: String { "the process that writes the log ended with status \(status)" }
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }
}
