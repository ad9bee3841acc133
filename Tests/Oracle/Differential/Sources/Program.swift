import Foundation

/// One line of input: sources, a chain over them, and when its subscription is disposed of.
struct Program: Decodable {
    let sources: [Source]
    let chain: Chain
    let dispose: Int
}

/// Where a chain begins.
struct Source: Decodable {
    let kind: String
    /// Of hot and cold ones: time, kind (0 an element, 1 an error, 2 the end), value.
    var events: [[Int]]?
    /// Elements, or the numbers that a generator takes.
    var values: [Int]?
}

/// A source, and the operators after it.
struct Chain: Decodable {
    let source: Int
    let stages: [Stage]
}

/// One operator, with what it is given.
struct Stage: Decodable {
    let op: String
    /// A number: how many, which remainder, what is added.
    var a: Int?
    /// A span of time, or a second number.
    var b: Int?
    /// The closure throws for elements that leave this remainder when divided by 7.
    var bomb: Int?
    /// The other sequences.
    var with: [Chain]?
}

/// What a script or a closure fails with.
struct Fault: Error {
    let number: Int
}
