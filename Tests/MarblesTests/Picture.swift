import Foundation

/// A marble diagram as SVG: timelines, marbles in the colour of their origin (``Origins``), a bar for completion, a
/// cross for an error, and a box with an operator's call. The same recording always gives the same bytes.
struct Picture {
    enum Appearance: String, CaseIterable {
        case light = ""
        case dark = "~dark"

        fileprivate var colours: (ink: String, words: String, box: String, rim: String) {
            switch self {
            case .light: ("#1d1d1f", "#6e6e73", "#f5f5f7", "#c7c7cc")
            case .dark: ("#f5f5f7", "#98989d", "#2c2c2e", "#545458")
            }
        }
    }

    let diagram: Diagram
    let played: [[Timeline]]

    /// The width of a column, in tenths of a pixel.
    private let unit: Int
    private let width: Int
    private let origins: Origins
    private let showsColumns: Bool

    private static let margin = 240
    /// The minimum width of a column. At this width, marbles two columns apart do not touch.
    private static let narrow = 120
    private static let stacked = 250

    init(_ diagram: Diagram, _ played: [[Timeline]]) {
        self.diagram = diagram
        self.played = played
        origins = Origins(diagram, played)
        let (last, marks) = (diagram.last, played.joined().flatMap(\.marks))
        let right = marks.map { Canvas.half(of: $0.text) + 60 - (last - $0.column) * Self.narrow }.max() ?? 0
        let margins = Self.margin + max(Self.margin, right)
        unit = max(Self.narrow, min(2 * Self.narrow, (3600 - margins) / max(1, last)))
        width = max(3600, margins + unit * last)
        showsColumns = diagram.lines.contains { "\($0.label) \($0.remark)".contains("column") }
    }

    func svg(_ appearance: Appearance) -> String {
        let colours = appearance.colours
        var canvas = Canvas()
        var y = 40
        for (index, (line, timelines)) in zip(diagram.lines, played).enumerated() {
            if line.isCode {
                y = draw(box: line.label, at: y, on: &canvas) + 30
            } else if isNamed(line) {
                canvas.words(line.label, x: 80, y: y + 110)
                y += 120
            }
            y += 160
            let last = timelines.last?.end
            let depths = timelines.map { draw($0, of: index, at: y, isLast: $0.end == last, on: &canvas) }
            y += 200 + (depths.max() ?? 0)
        }
        for remark in Set(diagram.lines.map(\.remark)).sorted() where !remark.isEmpty {
            canvas.words(remark, x: 80, y: y + 100)
            y += 160
        }
        let size = "width=\"\(px(width))\" height=\"\(px(y))\" viewBox=\"0 0 \(px(width)) \(px(y))\""
        return """
            <svg xmlns="http://www.w3.org/2000/svg" \(size) role="img" font-family="system-ui,sans-serif" font-size="12">
            <title>\(escaped(diagram.picture?.alt ?? ""))</title>
            <g fill="\(colours.box)" stroke="\(colours.rim)">\(canvas.boxes)</g>
            <g fill="none" stroke="\(colours.ink)" stroke-width="1.5"><path d="\(canvas.lines)"/>\
            <path stroke-width="3" d="\(canvas.ends)"/></g>
            <g fill="\(colours.words)" font-size="11">\(canvas.words)</g>
            <g fill="\(colours.ink)" font-family="ui-monospace,Menlo,Consolas,monospace" text-anchor="middle">\
            \(canvas.code)</g>
            <g fill="#1d1d1f" text-anchor="middle">\(canvas.marbles)</g>
            </svg>

            """
    }

    private func isNamed(_ line: Diagram.Line) -> Bool {
        line.label != "source" || diagram.lines.count { !$0.isCode } > 1
    }

    private func x(_ column: Int) -> Int { Self.margin + column * unit }

    /// - Returns: the lower edge of the box.
    private func draw(box label: String, at y: Int, on canvas: inout Canvas) -> Int {
        let rows = wrapped(label, into: (width - 200) / 73)
        let height = 140 + 160 * rows.count
        canvas.boxes += "<rect x=\"6\" y=\"\(px(y))\" width=\"\(px(width - 120))\" height=\"\(px(height))\" rx=\"6\"/>"
        for (index, row) in rows.enumerated() {
            canvas.code += "<text x=\"\(px(width / 2))\" y=\"\(px(y + 190 + 160 * index))\">\(escaped(row))</text>"
        }
        return y + height
    }

    /// - Returns: the additional height below the timeline. The marbles of one moment are drawn below each other.
    private func draw(
        _ timeline: Timeline, of line: Int, at y: Int, isLast: Bool, on canvas: inout Canvas
    ) -> Int {
        let (from, to) = (x(timeline.begin), isLast ? width - 70 : x(timeline.last) + 60)
        canvas.lines += "M\(px(from)) \(px(y))H\(px(to))"
        if isLast { canvas.lines += "m-6 -4l6 4-6 4" }
        if showsColumns {
            for column in timeline.begin...max(timeline.begin, timeline.last) {
                canvas.lines += "M\(px(x(column))) \(px(y - 25))v5"
            }
        }
        let columns = Dictionary(grouping: timeline.marks, by: \.column).sorted { $0.key < $1.key }
        var deepest = 0
        for (column, marks) in columns {
            let elements = marks.filter(\.isElement)
            let below = max(0, elements.count - 1)
            deepest = max(deepest, below * Self.stacked + (marks.contains { $0.text == "^" } ? 70 : 0))
            for (index, mark) in elements.enumerated() {
                let fill = Canvas.fill(origins.number(of: mark, in: line))
                canvas.marble(mark.text, fill, x: x(column), y: y + index * Self.stacked)
            }
            let at = px(x(column))
            for mark in marks {
                switch mark.text {
                case "|": canvas.ends += "M\(at) \(px(y - 170))V\(px(y + 170 + below * Self.stacked))"
                case "#": canvas.ends += "M\(at) \(px(y))m-7 -7l14 14m0 -14l-14 14"
                case "^": canvas.lines += "M\(at) \(px(y + 220 + below * Self.stacked))v-9m-4 4l4 -4 4 4"
                default: break
                }
            }
        }
        return deepest
    }

    private func wrapped(_ text: String, into length: Int) -> [String] {
        var rows: [String] = []
        var rest = text[...]
        while rest.count > length {
            let row = rest.prefix(length)
            guard let space = row.range(of: ", ", options: .backwards)?.upperBound ?? row.lastIndex(of: " ") else {
                break
            }
            rows.append(String(rest[..<space]))
            rest = rest[space...]
        }
        return rows + [String(rest)]
    }
}

private struct Canvas {
    var boxes = ""
    var lines = ""
    var ends = ""
    var words = ""
    var code = ""
    var marbles = ""

    /// The colours, by the number of the origin. An element without an origin is grey.
    private static let fills = ["#8ecae6", "#ffc857", "#95d5b2", "#f4a6b5", "#cdb4db", "#f2a65a", "#a3e4d7", "#d4d48a"]

    private static let radius = 110

    mutating func words(_ text: String, x: Int, y: Int) {
        words += "<text x=\"\(px(x))\" y=\"\(px(y))\">\(escaped(text))</text>"
    }

    /// Half a marble's width: the radius, or more if the text needs it.
    static func half(of text: String) -> Int { max(radius, 34 * text.count + 45) }

    static func fill(_ origin: Int?) -> String {
        origin.map { fills[$0 % fills.count] } ?? "#d1d1d6"
    }

    mutating func marble(_ text: String, _ fill: String, x: Int, y: Int) {
        let (half, radius) = (Self.half(of: text), Self.radius)
        marbles += "<rect x=\"\(px(x - half))\" y=\"\(px(y - radius))\" width=\"\(px(2 * half))\" "
        marbles += "height=\"\(px(2 * radius))\" rx=\"\(px(radius))\" fill=\"\(fill)\"/>"
        marbles += "<text x=\"\(px(x))\" y=\"\(px(y + 42))\">\(escaped(text))</text>"
    }
}

private func px(_ tenths: Int) -> String {
    tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
}

private func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
        switch character {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        default: result.append(character)
        }
    }
}
