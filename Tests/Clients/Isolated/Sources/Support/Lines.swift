import Foundation

public final class Lines: Sendable {
    private let words: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    public init() {
        (words, continuation) = AsyncStream.makeStream()
    }

    public func add(_ word: String) {
        continuation.yield(word)
    }

    public func addOffMain(_ word: String) {
        if Thread.isMainThread { end("\(word): on the main thread") }
        add(word)
    }

    public func expect(_ expected: [String]) async {
        var got: [String] = []
        for await word in words {
            got.append(word)
            if got.count == expected.count { break }
        }
        guard got.sorted() != expected.sorted() else { return }
        end("got \(got.sorted()), expected \(expected.sorted())")
    }

    private func end(_ fault: String) -> Never {
        print(fault)
        exit(1)
    }
}
