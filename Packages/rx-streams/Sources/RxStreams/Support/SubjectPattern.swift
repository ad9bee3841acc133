/// A subject with or without wildcards. Its words are separated by dots; `*` matches any one word, `>` at the end
/// matches one or more. Words are compared by their bytes, as engines do.
public struct SubjectPattern: Sendable, Hashable, CustomStringConvertible {
    private let words: [[UInt8]]
    private static let (one, rest) = (Array("*".utf8), Array(">".utf8))

    /// Parses a `pattern`. Throws ``BrokerError/refused(_:)`` if it is invalid.
    public init(_ pattern: String) throws {
        try Self.check(pattern)
        words = Self.words(of: pattern).map(Array.init)
    }

    private static func words(of subject: String) -> [Substring.UTF8View] {
        subject[...].utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    }

    /// Throws if the `pattern` has an empty word, a space, a control character, a wildcard inside a longer word, or a
    /// `>` that is not the last word.
    public static func check(_ pattern: String) throws {
        let words = words(of: pattern)
        for (index, word) in words.enumerated() {
            let isOne =
                word.elementsEqual(one) || word.elementsEqual(rest) && index == words.count - 1
                || !word.isEmpty && word.allSatisfy { $0 > 32 && $0 != one[0] && $0 != rest[0] && $0 != 127 }
            if !isOne {
                throw BrokerError.refused("'\(pattern.debugDescription.dropFirst().dropLast())' is not a valid subject")
            }
        }
    }

    /// Throws if the `subject` is invalid for a message, or has wildcards.
    public static func checkSubject(_ subject: String) throws {
        if try SubjectPattern(subject).hasWildcards {
            throw BrokerError.refused("a message's subject cannot have wildcards: '\(subject)'")
        }
    }

    /// Whether the pattern has wildcards.
    public var hasWildcards: Bool { words.contains { $0 == Self.one || $0 == Self.rest } }

    /// Whether the pattern matches `subject`.
    public func matches(_ subject: String) -> Bool {
        let others = Self.words(of: subject)
        for (index, word) in words.enumerated() {
            guard index < others.count else { return false }
            if word == Self.rest { return true }
            if word != Self.one && !others[index].elementsEqual(word) { return false }
        }
        return words.count == others.count
    }

    /// Whether some subject matches both this pattern and `other`.
    public func overlaps(_ other: SubjectPattern) -> Bool {
        for (index, word) in words.enumerated() {
            guard index < other.words.count else { return false }
            let theirs = other.words[index]
            if word == Self.rest || theirs == Self.rest { return true }
            if word != Self.one && theirs != Self.one && word != theirs { return false }
        }
        return words.count == other.words.count
    }

    public var description: String { text { $0 } }

    /// A matching subject, with `all` for each wildcard.
    package var example: String { text { $0 == Self.one || $0 == Self.rest ? Array("all".utf8) : $0 } }

    private func text(_ word: ([UInt8]) -> [UInt8]) -> String {
        String(decoding: Array(words.map(word).joined(separator: [UInt8(ascii: ".")])), as: UTF8.self)
    }
}

extension StringProtocol {
    /// Whether both strings have the same bytes. `==` also equates different encodings of the same characters.
    package func hasBytes(of other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// Checks names of streams, groups and relays, which become parts of file names and of subjects.
enum Name {
    private static let most = 200

    static func check(_ name: String, of what: String) throws {
        let isOne =
            !name.isEmpty && name.utf8.count <= most
            && name.utf8.allSatisfy {
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
        if !isOne {
            throw BrokerError.refused(
                "\(name.prefix(most + 1).debugDescription) is not a valid name of a \(what): use letters, digits, '-' "
                    + "and '_', at most \(most) in all"
            )
        }
    }
}
