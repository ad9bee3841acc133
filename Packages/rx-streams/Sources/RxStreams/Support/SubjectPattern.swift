/// A subject with or without wildcards: words with dots between them, `*` for any one word, `>` at the end for one or
/// more.
public struct SubjectPattern: Sendable, Hashable, CustomStringConvertible {
    private let words: [Substring]

    /// Reads a pattern.
    ///
    /// - Throws: ``BrokerError/refused(_:)`` where it is none.
    public init(_ pattern: String) throws {
        try Self.check(pattern)
        words = pattern.split(separator: ".", omittingEmptySubsequences: false)
    }

    /// Refuses what is no pattern: an empty word, a space or a control character, a `>` that is not the last word.
    public static func check(_ pattern: String) throws {
        let words = pattern.split(separator: ".", omittingEmptySubsequences: false)
        for (index, word) in words.enumerated() {
            let isOne =
                word == "*" || word == ">" && index == words.count - 1
                || !word.isEmpty
                    && word.unicodeScalars.allSatisfy { $0.value > 32 && $0 != "*" && $0 != ">" && $0.value != 127 }
            if !isOne {
                throw BrokerError.refused("'\(pattern.debugDescription.dropFirst().dropLast())' is no subject")
            }
        }
    }

    /// Refuses what is no subject of one message: no pattern, or one with wildcards.
    public static func checkSubject(_ subject: String) throws {
        if try SubjectPattern(subject).hasWildcards {
            throw BrokerError.refused("a message's subject has no wildcards: '\(subject)'")
        }
    }

    /// Whether it stands for several subjects.
    public var hasWildcards: Bool { words.contains { $0 == "*" || $0 == ">" } }

    /// Whether it stands for this subject.
    public func matches(_ subject: String) -> Bool {
        let others = subject.split(separator: ".", omittingEmptySubsequences: false)
        for (index, word) in words.enumerated() {
            guard index < others.count else { return false }
            if word == ">" { return true }
            if word != "*" && word != others[index] { return false }
        }
        return words.count == others.count
    }

    /// Whether a subject may match both.
    public func overlaps(_ other: SubjectPattern) -> Bool {
        for (index, word) in words.enumerated() {
            guard index < other.words.count else { return false }
            let theirs = other.words[index]
            if word == ">" || theirs == ">" { return true }
            if word != "*" && theirs != "*" && word != theirs { return false }
        }
        return words.count == other.words.count
    }

    public var description: String { words.joined(separator: ".") }
}

/// Names of streams and groups, which are part of file names and of subjects.
enum Name {
    static func check(_ name: String, of what: String) throws {
        let isOne =
            !name.isEmpty && name.utf8.count <= 200
            && name.utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
        if !isOne {
            throw BrokerError.refused(
                "\(name.debugDescription) is no name of a \(what): it takes letters, digits, '-' and '_'")
        }
    }
}
