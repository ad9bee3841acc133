/// Two timelines drawn one under the other as marble strings, with marks under the times at which they differ.
///
/// ```
/// expected  --a--b----|
/// actual    --a-b-----|
///               ^^
/// ```
struct Timelines {
    /// What happens at one time, in each timeline; empty for nothing.
    struct Cell {
        let time: TestTime
        let expected: [String]
        let actual: [String]
        let differs: Bool
    }

    /// Ascending by time.
    let cells: [Cell]

    /// Whether there are more cells than these.
    let isCut: Bool

    /// Which of so many cells are drawn: those near the first difference, for more are not seen at a glance.
    static func shown(of count: Int, firstDifference: Int) -> Range<Int> {
        let begin = max(0, firstDifference - 6)
        return begin..<min(count, begin + 24)
    }

    /// Draws the timelines from a time on, or from the first cell where that is earlier.
    func draw(from time: TestTime) -> String {
        let start = min(time, cells.first?.time ?? time)
        var rows = Rows()
        var next = start
        for cell in cells {
            let (frames, isTooLong) = cell.time.subtractingReportingOverflow(next)
            rows.addSilence(of: isTooLong ? .max : frames)
            rows.add(cell)
            // Nothing comes after the last time that there is.
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
        /// The width drawn since the last mark.
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
            // Spaces mean nothing in a marble string: what is drawn can be copied into a test.
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
