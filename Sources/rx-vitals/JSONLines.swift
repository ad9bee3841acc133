#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct JSONLines: Output {
    func show(_ frame: Frame) throws {
        try write(JSONLines.line(frame, at: Date()))
    }

    func end() {}

    static func line(_ frame: Frame, at time: Date) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let milliseconds = (time.timeIntervalSince1970 * 1000).rounded()
        let data = try encoder.encode(Line(time: milliseconds / 1000, frame: frame))
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}

private struct Line: Encodable {
    var time: Double
    var frame: Frame

    enum Key: CodingKey {
        case time, alarms
    }

    func encode(to encoder: any Encoder) throws {
        try frame.vitals.encode(to: encoder)
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(time, forKey: .time)
        try container.encode(frame.alarms, forKey: .alarms)
    }
}
