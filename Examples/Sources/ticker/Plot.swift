import ExampleSupport
import Foundation

/// The memory of both servers, and below it the delays of the clients that continue to read.
struct Plot {
    let courses: [Course]
    let stoppedAfter: Double

    private let width = 720.0, left = 72.0, right = 24.0
    private let colours = ["#2f8fd8", "#d9603b"]
    private let faint = "stroke=\"#808590\" stroke-opacity=\"0.35\""

    private struct Panel {
        let title: String
        let unit: String
        let top: Double
        let bottom: Double
        /// Each line is a list of points: the time in seconds, and the value.
        let lines: [[(Double, Double)]]

        var most: Double { max(lines.joined().map(\.1).max() ?? 0, 1) * 1.1 }

        func y(_ value: Double) -> Double { bottom - value / most * (bottom - top) }
    }

    var svg: String {
        let memory = Panel(
            title: "Resident memory of the server", unit: "MiB", top: 84, bottom: 260,
            lines: courses.map { $0.looks.map { ($0.seconds, Double($0.bytes) / 1_048_576) } })
        let latency = Panel(
            title: "How late events are for the clients that read: the 99th percentile of each second", unit: "ms",
            top: 320, bottom: 420, lines: courses.map(\.seconds))
        let grown = courses.map { "\($0.way.name) it grows by \(Int(Double($0.growth) / 1_048_576)) MiB" }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) 460" \
            font-family="system-ui, sans-serif" font-size="13" fill="#808590" role="img" \
            aria-label="The server's memory once clients have stopped reading: with \(grown.joined(separator: ", with "))">
            \(legend)
            \(panel(memory))
            \(panel(latency))
            \(seconds)
            </svg>

            """
    }

    private var longest: Double { courses.flatMap(\.looks).map(\.seconds).max() ?? 1 }

    private func x(_ seconds: Double) -> Double { left + min(seconds / longest, 1) * (width - left - right) }
    private func text(_ number: Double) -> String { String(format: "%.1f", number) }

    private var legend: String {
        courses.indices.map { index in
            let begin = left + Double(index) * 280
            return """
                <path d="M\(text(begin)) 22h24" stroke="\(colours[index])" stroke-width="2.5"/>\
                <text x="\(text(begin + 32))" y="26">\(courses[index].way.name)</text>
                """
        }.joined(separator: "\n")
    }

    private func panel(_ panel: Panel) -> String {
        let rows = marks(upTo: panel.most).map { step in
            """
            <path d="M\(text(left)) \(text(panel.y(step)))H\(text(width - right))" \(faint)/>\
            <text x="\(text(left - 8))" y="\(text(panel.y(step)))" dy="4" text-anchor="end">\
            \(String(format: "%g", step)) \(panel.unit)</text>
            """
        }
        let lines = panel.lines.enumerated().reversed().map { index, points in
            let points = points.map { "\(text(x($0.0))),\(text(panel.y($0.1)))" }.joined(separator: " ")
            return """
                <polyline points="\(points)" fill="none" stroke="\(colours[index])" stroke-width="2.5" \
                stroke-linejoin="round"/>
                """
        }
        let stop = """
            <path d="M\(text(x(stoppedAfter))) \(text(panel.top - 8))V\(text(panel.bottom))" stroke="#808590" \
            stroke-dasharray="4 4"/>
            """
        let title = "<text x=\"\(text(left))\" y=\"\(text(panel.top - 16))\" font-weight=\"600\">\(panel.title)</text>"
        return ([title] + rows + [stop] + lines).joined(separator: "\n")
    }

    private var seconds: String {
        let labels = marks(upTo: longest).map { step in
            "<text x=\"\(text(x(step)))\" y=\"440\" text-anchor=\"middle\">\(String(format: "%g", step)) s</text>"
        }
        let stop = """
            <text x="\(text(x(stoppedAfter) + 6))" y="96">the clients are stopped</text>
            """
        return (labels + [stop]).joined(separator: "\n")
    }
}
