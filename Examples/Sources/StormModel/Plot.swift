/// An SVG of the share of answered calls over time.
public struct Plot {
    public struct Theme: Sendable {
        let ink: String
        let faint: String
        let shade: String
        let lines: [String]

        public static let light = Theme(
            ink: "#1d1d1f", faint: "#d2d2d7", shade: "#f3e6d0", lines: ["#b3261e", "#1558b0", "#14703c"])
        public static let dark = Theme(
            ink: "#f5f5f7", faint: "#48484a", shade: "#4a3a1e", lines: ["#ff7a70", "#6cb2ff", "#5fd18b"])
    }

    public static let files = [("storm.svg", Theme.light), ("storm~dark.svg", Theme.dark)]

    private let storm: Storm
    private let courses: [Course]

    public init(_ storm: Storm, _ courses: [Course]) {
        self.storm = storm
        self.courses = courses
    }

    private static let (width, height) = (720, 300)
    private static let (left, right, top, bottom) = (56, 704, 52, 252)

    private func x(_ milliseconds: Int) -> Int {
        Self.left + (Self.right - Self.left) * milliseconds / storm.duration
    }

    private func y(_ rate: Double) -> Int {
        Self.bottom - Int((Double(Self.bottom - Self.top) * rate).rounded())
    }

    public func svg(_ theme: Theme) -> String {
        let head = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(Self.height)" \
            font-family="system-ui, sans-serif" font-size="13" fill="\(theme.ink)" role="img">
            <title>Calls that are answered, over time</title>
            """
        return ([head] + frame(theme) + courses.indices.flatMap { course($0, theme) } + ["</svg>", ""])
            .joined(separator: "\n")
    }

    private func frame(_ theme: Theme) -> [String] {
        let (from, to) = (x(storm.slowFrom), x(storm.slowFrom + storm.slowFor))
        var parts = [
            "<rect x=\"\(from)\" y=\"\(Self.top)\" width=\"\(to - from)\" height=\"\(Self.bottom - Self.top)\" "
                + "fill=\"\(theme.shade)\"/>"
        ]
        for percent in [0, 50, 100] {
            let y = y(Double(percent) / 100)
            parts.append(
                "<path d=\"M\(Self.left) \(y)H\(Self.right)\" stroke=\"\(theme.faint)\"/>"
                    + "<text x=\"\(Self.left - 8)\" y=\"\(y + 4)\" text-anchor=\"end\">\(percent) %</text>")
        }
        for second in stride(from: 0, through: storm.duration / 1_000, by: max(1, storm.duration / 10_000)) {
            let middle = "text-anchor=\"middle\""
            parts.append("<text x=\"\(x(second * 1_000))\" y=\"\(Self.bottom + 20)\" \(middle)>\(second) s</text>")
        }
        parts.append(
            "<text x=\"\((Self.left + Self.right) / 2)\" y=\"\(Self.bottom + 40)\" text-anchor=\"middle\">"
                + "calls that are answered; the service is slow where it is shaded</text>")
        return parts
    }

    private func course(_ index: Int, _ theme: Theme) -> [String] {
        let colour = theme.lines[index % theme.lines.count]
        let points = courses[index].rates.enumerated().map { moment, rate in
            "\(x(moment * 200 + 100)),\(y(rate))"
        }
        let legend = Self.left + index * 210
        // Each line is wider than the next, so overlapped lines stay visible.
        let width = max(2, 2 * (courses.count - index))
        return [
            "<polyline points=\"\(points.joined(separator: " "))\" fill=\"none\" stroke=\"\(colour)\" "
                + "stroke-width=\"\(width)\" stroke-linejoin=\"round\"/>",
            "<path d=\"M\(legend) 24h24\" stroke=\"\(colour)\" stroke-width=\"\(width)\"/>"
                + "<text x=\"\(legend + 32)\" y=\"28\">\(courses[index].name)</text>",
        ]
    }
}
