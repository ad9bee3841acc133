import Foundation

/// One line of input: sources, a chain over them, and the time of the disposal.
struct Program: Decodable {
    let sources: [Source]
    let chain: Chain
    let dispose: Int
}

struct Source: Decodable {
    let kind: String
    /// Events of a hot or cold source: a time, a kind (0 an element, 1 an error, 2 the end) and a value.
    var events: [[Int]]?
    /// The source's elements, or a generator's arguments, as for `range`.
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
    /// The remainder modulo 7 of the elements for which the closure throws.
    var bomb: Int?
    var with: [Chain]?
}

struct Fault: Error {
    let number: Int
}
