import Foundation

/// A program, which is one line of input: sources, a chain over the sources, and the time of the disposal.
struct Program: Decodable {
    let sources: [Source]
    let chain: Chain
    let dispose: Int
}

struct Source: Decodable {
    let kind: String
    /// The events of a hot or cold source. Each event is a time, a kind (0 an element, 1 an error, 2 the end) and a
    /// value.
    var events: [[Int]]?
    /// The elements of the source, or the arguments of a generator such as `range`.
    var values: [Int]?
}

struct Chain: Decodable {
    let source: Int
    let stages: [Stage]
}

struct Stage: Decodable {
    let op: String
    /// A number: a count, a remainder or a summand.
    var a: Int?
    /// A span of time, or a second number.
    var b: Int?
    /// The closure throws for an element whose remainder on division by 7 is this number.
    var bomb: Int?
    var with: [Chain]?
}

struct Fault: Error {
    let number: Int
}
