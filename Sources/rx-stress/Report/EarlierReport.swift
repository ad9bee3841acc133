import FoundationEssentials

/// The part of an earlier run's `soak.json` that is compared.
struct EarlierReport: Decodable, Sendable {
    struct Figures: Decodable, Sendable {
        let name: String
        let operationsPerSecond: Double
        let medianNanoseconds: UInt64
        let tailNanoseconds: UInt64
        let peakBytes: Int
    }

    let finished: String
    let threads: Int
    let sanitizer: Sanitizer?
    let origin: Origin?
    let scenarios: [Figures]

    struct Unreadable: Error {
        let reason: String
    }

    static func read(from folder: String) throws(Unreadable) -> EarlierReport {
        let path = folder + "/soak.json"
        do {
            return try JSONDecoder().decode(EarlierReport.self, from: Data(contentsOf: URL(filePath: path)))
        } catch is DecodingError {
            throw Unreadable(reason: "\(path) is not the report of a soak")
        } catch {
            throw Unreadable(reason: "\(path) cannot be read")
        }
    }

    func figures(of scenario: String) -> Figures? {
        scenarios.first { $0.name == scenario }
    }

    /// The reasons why the two runs' figures are not comparable; nil if they are.
    func difference(from summary: Summary) -> String? {
        let reasons = [
            origin == nil ? "an unknown machine" : origin?.machine == summary.origin.machine ? nil : "another machine",
            threads == summary.threads ? nil : "other threads: \(threads)",
            sanitizer == summary.sanitizer ? nil : "another sanitizer: \(sanitizer?.rawValue ?? "none")",
        ].compactMap { $0 }
        return reasons.isEmpty ? nil : reasons.joined(separator: ", ")
    }

    var words: String {
        origin?.words ?? "a run that ended at \(finished)"
    }
}
