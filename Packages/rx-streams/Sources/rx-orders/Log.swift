import Foundation
import Logging

/// Events as JSON lines on standard output. If a write fails, the work continues.
enum Log {
    static var now: Double { (Date().timeIntervalSince1970 * 1_000).rounded() / 1_000 }

    static func say(_ event: String, _ fields: [(String, any Encodable & Sendable)] = []) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let words = ([("time", now), ("event", event)] + fields).map { name, value in
            let text = (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
            return "\"\(name)\":\(text)"
        }
        Output.say("{\(words.joined(separator: ","))}\n")
    }

    static let logger = {
        var logger = Logger(label: "rx-orders") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return logger
    }()
}
