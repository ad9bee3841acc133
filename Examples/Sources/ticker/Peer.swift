import ExampleSupport

/// The server or some clients, in a process of their own, which says lines: a word and numbers.
///
/// Used by one task.
final class Peer {
    private let process: Child
    /// The numbers of the lines that began with `second`.
    private(set) var seconds: [[Double]] = []

    init(_ arguments: [String]) throws {
        process = try Child(arguments)
    }

    var identifier: Int32 { process.identifier }

    /// The numbers of the next line that begins with a word.
    func next(_ word: String) async throws -> [Double] {
        while true {
            let words = try await process.next()
            let numbers = words.dropFirst().compactMap { Double($0) }
            if words.first == "second" { seconds.append(numbers) }
            if words.first?.elementsEqual(word) == true { return numbers }
        }
    }

    /// What it has seen since it was last asked.
    func phase() async throws -> Course.Phase {
        try process.say()
        return Course.Phase(try await next("phase"))
    }

    /// Ends it, also where it is stopped.
    func kill() {
        process.kill()
    }
}
