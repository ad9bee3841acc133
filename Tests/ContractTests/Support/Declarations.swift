#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

enum Declarations {
    /// The number of public declarations of each member of a sequence, keyed by name with argument labels. A property
    /// counts once. Omits unavailable functions.
    static func members(in folder: String) throws -> [String: Int] {
        // An indented extension is inside `#if`; any other indented declaration is inside another scope.
        let scopes =
            /^(?: *extension|(?:public |open |final |@\w+ )*(?:extension|class|struct|enum|protocol|actor)) [^{]*\{/
            .anchorsMatchLineEndings()
        let functions =
            /(?:public|open) (?:override |final |__consuming )*(static )?(?:__consuming )?func `?(\w+)`?(?:<[^(]*>)?\(/
        let properties = /public (?:static )?var (\w+):/
        var found: [String: Int] = [:]
        for text in try sources(in: folder) {
            let scopes = text.matches(of: scopes).map { ($0.range.lowerBound, owner(String($0.output))) }
            for match in text.matches(of: functions) {
                guard let owner = scopes.last(where: { $0.0 < match.range.lowerBound })?.1 else { continue }
                if isUnavailable(text[..<match.range.lowerBound]) { continue }
                found["\(match.1 ?? "")\(owner)\(match.2)(\(labels(text[match.range.upperBound...])))", default: 0] += 1
            }
            for match in text.matches(of: properties) {
                guard let owner = scopes.last(where: { $0.0 < match.range.lowerBound })?.1 else { continue }
                // A property may have one declaration for each compiler version.
                found["\(owner)\(match.1)"] = 1
            }
        }
        return found
    }

    /// Whether the attributes at the end of `text`, after the last blank line, make the following declaration
    /// unavailable.
    private static func isUnavailable(_ text: Substring) -> Bool {
        let attributes = text[(text.range(of: "\n\n", options: .backwards)?.upperBound ?? text.startIndex)...]
        return attributes.contains("*, unavailable,")
    }

    /// The prefix of the names of a scope's members; nil if the type is not a sequence.
    private static func owner(_ scope: String) -> String? {
        let words = scope.split { !$0.isLetter && !$0.isNumber }
        func has(_ word: Substring) -> Bool { words.contains(word) }
        if has("ConnectableObservable") { return "" }
        if has("struct") { return ["ControlEvent", "ControlProperty"].first(where: has).map { "\($0)." } }
        if let strategy = ["Driver", "Signal"].first(where: { scope.contains("== \($0)SharingStrategy") }) {
            return "\(strategy)."
        }
        guard let type = words.first == "extension" ? words.dropFirst().first : nil else { return nil }
        switch type {
        case "Observable", "ObservableType", "ObservableConvertibleType", "ConnectableObservableType": return ""
        case "PrimitiveSequence", "PrimitiveSequenceType":
            return ["Single", "Maybe", "Completable"].first { has("\($0)Trait") }.map { "\($0)." }
                ?? "PrimitiveSequence."
        case "Infallible", "InfallibleType": return "Infallible."
        case "SharedSequence", "SharedSequenceConvertibleType": return "SharedSequence."
        case "ControlPropertyType": return "ControlProperty."
        case "AsyncSequence": return "AsyncSequence."
        case _ where type.hasSuffix("Subject") || type.hasSuffix("Relay"): return "\(type)."
        case "Reactive": return words.last.map { "\($0).rx." }
        default: return nil
        }
    }

    /// The public ways to obtain a scheduler, such as `init(qos:leeway:)` or `instance`, for each public class whose
    /// name ends in `Scheduler`. Each such class is alone in its file.
    static func schedulers(in folder: String) throws -> [Scheduler] {
        try sources(in: folder).compactMap { text in
            guard let match = text.firstMatch(of: /(?:public|open) (?:final )?class (\w+Scheduler)\b/) else {
                return nil
            }
            let lines = text[..<match.range.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
                .dropLast()
            let documentation = lines.reversed().prefix { $0.contains("//") }.reversed().joined(separator: "\n")
            let initialisers = text.matches(of: /public (?:override )?(?:convenience )?init\(/).map {
                "init(\(labels(text[$0.range.upperBound...])))"
            }
            let instances = text.matches(of: /public static let (\w+) = \w+Scheduler\(/).map { String($0.1) }
            return Scheduler(name: String(match.1), documentation: documentation, forms: initialisers + instances)
        }
    }

    struct Scheduler {
        let name: String
        let documentation: String
        let forms: [String]
    }

    static func sources(in folder: String) throws -> [String] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .deletingLastPathComponent()
        let path = root.appending(path: folder).path
        return try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".swift") }.sorted().map
        {
            try String(contentsOfFile: "\(path)/\($0)", encoding: .utf8)
        }
    }

    private static func labels(_ text: Substring) -> String {
        var labels = ""
        var depth = 0
        var word = ""
        var isLabel = true
        for character in text {
            switch character {
            case "(", "[", "{": depth += 1
            case ")" where depth == 0: return labels
            case ")", "]", "}": depth -= 1
            case "," where depth == 0:
                isLabel = true
                word = ""
            case ":" where depth == 0 && isLabel:
                labels += word.split(whereSeparator: \.isWhitespace).first.map { "\($0):" } ?? ""
                isLabel = false
            default: break
            }
            if isLabel && character != "," { word.append(character) }
        }
        return labels
    }
}
