enum Format {
    static func count(_ value: Int) -> String {
        let digits = String(value.magnitude)
        let groups = stride(from: digits.count, to: 0, by: -3).map { end in
            digits.dropLast(digits.count - end).suffix(3)
        }
        return (value < 0 ? "-" : "") + groups.reversed().joined(separator: " ")
    }

    static func plural(_ value: Int, _ noun: String) -> String {
        "\(count(value)) \(noun)\(value == 1 ? "" : "s")"
    }

    static func change(from before: Double, to now: Double) -> String {
        guard before > 0 else { return "" }
        let percent = Int(((now / before - 1) * 100).rounded())
        return (percent > 0 ? "+" : "") + "\(percent) %"
    }

    static func short(_ value: Double) -> String {
        let units: [(Double, String)] = [(1e9, " G"), (1e6, " M"), (1e3, " k")]
        let unit = units.first { value >= $0.0 } ?? (1, "")
        return digits(value / unit.0) + unit.1
    }

    static func nanoseconds(_ value: UInt64) -> String {
        let units: [(Double, String)] = [(1e9, " s"), (1e6, " ms"), (1e3, " µs")]
        let unit = units.first { Double(value) >= $0.0 } ?? (1, " ns")
        return digits(Double(value) / unit.0) + unit.1
    }

    static func bytes(_ value: Int) -> String {
        let units: [(Double, String)] = [(1_073_741_824, " GiB"), (1_048_576, " MiB"), (1024, " KiB")]
        let unit = units.first { Double(value) >= $0.0 } ?? (1, " B")
        return digits(Double(value) / unit.0) + unit.1
    }

    static func seconds(_ value: Double) -> String {
        fixed(value, 1) + " s"
    }

    static func fixed(_ value: Double, _ places: Int) -> String {
        guard value.isFinite else { return "–" }
        let scale = (0..<places).reduce(1) { scale, _ in scale * 10 }
        let scaled = Int((value.magnitude * Double(scale)).rounded())
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return sign + String(scaled) }
        let fraction = String(scaled % scale)
        return sign + String(scaled / scale) + "." + String(repeating: "0", count: places - fraction.count) + fraction
    }

    private static func digits(_ value: Double) -> String {
        fixed(value, value >= 99.95 || value == value.rounded() ? 0 : value >= 9.995 ? 1 : 2)
    }
}
