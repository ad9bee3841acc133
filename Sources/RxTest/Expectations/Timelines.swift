/// Draws two timelines as marble strings, with marks where they differ.
struct Timelines {
    struct Cell {
        let time: TestTime
        let expected: [String]
        let actual: [String]
        let differs: Bool
    }

    let cells: [Cell]

    let isCut: Bool

    /// The drawn range of `count` cells, near the first difference.
    static func shown(of count: Int, firstDifference: Int) -> Range<Int> {
        let begin = max(0, firstDifference - 6)
        return begin..<min(count, begin + 24)
    }

    /// Draws both timelines from `time`, or from the first cell if that is earlier.
    func draw(from time: TestTime) -> String {
        let start = min(time, cells.first?.time ?? time)
        var rows = Rows()
        var next = start
        for cell in cells {
            let (frames, isTooLong) = cell.time.subtractingReportingOverflow(next)
            rows.addSilence(of: isTooLong ? .max : frames)
            rows.add(cell)
            // An overflow has no effect, because no cell follows.
            next = cell.time &+ 1
        }
        let more = isCut ? " ..." : ""
        return """
            from \(start):
                expected  \(rows.expected)\(more)
                actual    \(rows.actual)\(more)
                          \(rows.marks)
            """
    }

    private struct Rows {
        var expected = ""
        var actual = ""
        var marks = ""
        /// The number of columns since the last mark.
        private var unmarked = 0

        mutating func addSilence(of frames: Int) {
            let silence = frames > 20 ? "{\(frames)}" : String(repeating: "-", count: frames)
            expected += silence
            actual += silence
            unmarked += silence.count
        }

        mutating func add(_ cell: Cell) {
            let (upper, lower) = (Self.text(cell.expected), Self.text(cell.actual))
            let width = max(upper.count, lower.count)
            // Marble strings ignore spaces.
            func padded(_ text: String) -> String { text + String(repeating: " ", count: width - text.count) }
            expected += padded(upper)
            actual += padded(lower)
            unmarked += width
            guard cell.differs else { return }
            marks += String(repeating: " ", count: unmarked - width) + String(repeating: "^", count: width)
            unmarked = 0
        }

        private static func text(_ symbols: [String]) -> String {
            switch symbols.count {
            case 0: "-"
            case 1: symbols[0]
            default: "(\(symbols.joined()))"
            }
        }
    }
}
