import FoundationEssentials

extension Summary {
    /// Writes `soak.json` and `soak.html` and returns where they are.
    func write(to folder: String) throws -> [String] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let json = folder + "/soak.json", html = folder + "/soak.html"
        try encoder.encode(Document(passed: passed, verdict: verdict, finished: Date(), summary: self)).write(to: URL(filePath: json))
        try Data(page.utf8).write(to: URL(filePath: html))
        return [json, html]
    }

    /// The JSON's outer shape: the verdict first, for whoever reads no further.
    private struct Document: Encodable {
        let passed: Bool
        let verdict: String
        let finished: Date
        let summary: Summary

        private enum Keys: CodingKey {
            case passed, verdict, finished
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(passed, forKey: .passed)
            try container.encode(verdict, forKey: .verdict)
            try container.encode(finished.formatted(.iso8601), forKey: .finished)
            try summary.encode(to: encoder)
        }
    }
}
