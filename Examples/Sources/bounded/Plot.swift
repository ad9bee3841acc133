import ExampleSupport
import Foundation

struct Plot {
    let unbounded: Memory
    let bounded: Memory

    private let width = 720.0, height = 340.0
    private let left = 64.0, right = 24.0, top = 48.0, bottom = 44.0

    var svg: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Int(width)) \(Int(height))" \
        font-family="system-ui, sans-serif" font-size="13" fill="#808590" role="img" \
        aria-label="Resident memory over time: without a bound it grows to \(mebibytes(unbounded.peak)) MiB, \
        with one it stays at \(mebibytes(bounded.peak)) MiB">
        <text x="\(left)" y="22" font-size="15">Resident memory of the same pipeline, without a bound and with one</text>
        \(grid.joined(separator: "\n"))
        \(line(unbounded, "#d9603b"))
        \(line(bounded, "#2f8fd8"))
        \(label("unbounded", unbounded, "#d9603b", above: -10))
        \(label("bounded(\(Bounded.bound))", bounded, "#2f8fd8", above: -10))
        </svg>

        """
    }

    private var most: Double { Double(max(unbounded.peak, bounded.peak)) * 1.05 }
    private var longest: Double { max(unbounded.seconds, bounded.seconds, 0.1) }

    private func x(_ seconds: Double) -> Double { left + seconds / longest * (width - left - right) }
    private func y(_ bytes: Double) -> Double { height - bottom - bytes / most * (height - top - bottom) }
    private func text(_ number: Double) -> String { String(format: "%.1f", number) }
    private func mebibytes(_ bytes: Int) -> String { String(format: "%.0f", Double(bytes) / 1_048_576) }

    private var grid: [String] {
        let rows = marks(upTo: most / 1_048_576).map { step in
            let height = text(y(step * 1_048_576))
            return """
                <path d="M\(text(left)) \(height)H\(text(width - right))" stroke="#808590" stroke-opacity="0.35"/>\
                <text x="\(text(left - 8))" y="\(height)" dy="4" text-anchor="end">\(Int(step)) MiB</text>
                """
        }
        let columns = marks(upTo: longest).map { step in
            """
            <text x="\(text(x(step)))" y="\(text(height - bottom + 20))" text-anchor="middle">\
            \(String(format: "%g", step)) s</text>
            """
        }
        return rows + columns
    }

    private func line(_ memory: Memory, _ colour: String) -> String {
        let points = memory.looks.map { "\(text(x($0.seconds))),\(text(y(Double($0.bytes))))" }
        return """
            <polyline points="\(points.joined(separator: " "))" fill="none" stroke="\(colour)" stroke-width="2.5" \
            stroke-linejoin="round"/>
            """
    }

    private func label(_ name: String, _ memory: Memory, _ colour: String, above: Double) -> String {
        guard let last = memory.looks.last(where: { $0.seconds < memory.seconds * 0.98 }) else { return "" }
        let figure = "\(name): \(mebibytes(memory.peak)) MiB"
        return """
            <text x="\(text(x(last.seconds)))" y="\(text(y(Double(last.bytes)) + above))" text-anchor="end" \
            fill="\(colour)" font-weight="600">\(figure)</text>
            """
    }
}
