import Foundation

/// One line of input: sources, a chain over them, and the time at which the subscription is disposed of.
struct Program: Decodable {
    let sources: [Source]
    let chain: Chain
    let dispose: Int
}

/// The beginning of a chain.
struct Source: Decodable {
    let kind: String
    /// For hot and cold sources: time, kind (0 an element, 1 an error, 2 the end), value.
    var events: [[Int]]?
    /// The elements of the source, or the arguments of a generator such as `range`.
    var values: [Int]?
}

struct Chain: Decodable {
    let source: Int
    let stages: [Stage]
}

/// One operator and its arguments.
struct Stage: Decodable {
    let op: String
    /// A number: a count, a remainder or a summand.
    var a: Int?
    /// A span of time, or a second number.
    var b: Int?
    /// The closure throws for an element whose remainder on division by 7 is this number.
    var bomb: Int?
    /// The other sequences.
    var with: [Chain]?
}

struct Fault: Error {
    let number: Int
}
