import FoundationEssentials

extension Summary {
    func write(to folder: ReportFolder, comparedWith earlier: EarlierReport?) throws -> [String] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(passed: passed, verdict: verdict, finished: Date(), summary: self)
        try encoder.encode(document).write(to: URL(filePath: folder.json))
        try Data(page(comparedWith: earlier).utf8).write(to: URL(filePath: folder.html))
        return [folder.json, folder.html]
    }

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
