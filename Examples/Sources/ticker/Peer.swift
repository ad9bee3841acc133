import ExampleSupport

/// A child process that runs the server or some clients. Only one task may use it.
final class Peer {
    private let process: Child
    /// The numbers in each line of the child's output that begins with `second`.
    private(set) var seconds: [[Double]] = []

    init(_ arguments: [String]) throws {
        process = try Child(arguments)
    }

    var identifier: Int32 { process.identifier }

    /// Returns the numbers in the next line that begins with `word`.
    func next(_ word: String) async throws -> [Double] {
        while true {
            let words = try await process.next()
            let numbers = words.dropFirst().compactMap { Double($0) }
            if words.first == "second" { seconds.append(numbers) }
            if words.first?.elementsEqual(word) == true { return numbers }
        }
    }

    func phase() async throws -> Course.Phase {
        try process.say()
        return Course.Phase(try await next("phase"))
    }

    func kill() {
        process.kill()
    }
}
