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
    /// The elements, or the numbers for a generator.
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
    /// The closure throws for elements that leave this remainder when divided by 7.
    var bomb: Int?
    /// The other sequences.
    var with: [Chain]?
}

struct Fault: Error {
    let number: Int
}
