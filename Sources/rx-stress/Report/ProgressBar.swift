import Glibc

/// A line that is redrawn in place if standard error is a terminal.
final class ProgressBar: Sendable {
    private let seconds: Double
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let isShown = Locked(false)

    init(seconds: Double) {
        self.seconds = seconds
    }

    func draw(
        scenario: String, number: Int, of count: Int, elapsed: Double, rates: (events: Double, subscriptions: Double),
        violations: Int
    ) {
        guard isTerminal else { return }
        let figures =
            "\(Format.fixed(min(elapsed, 1e6), 0)) of \(Format.fixed(seconds, 0)) s  "
            + "\(Format.short(rates.events)) events/s  "
            + "\(Format.short(rates.subscriptions)) subscriptions/s  \(Format.plural(violations, "violation"))  "
            + "\(scenario) (\(number) of \(count))"
        let room = max(0, min(30, columns - figures.count - 5))
        let filled = Int(Double(room) * min(1, seconds > 0 ? elapsed / seconds : 1))
        let bar =
            room < 8
            ? "" : "[" + String(repeating: "=", count: filled) + String(repeating: " ", count: room - filled) + "] "
        isShown.withLock { shown in
            shown = true
            write("\r\u{1B}[K" + (bar + figures).prefix(max(1, columns - 1)))
        }
    }

    func clear() {
        isShown.withLock(clear)
    }

    func say(_ line: String) {
        isShown.withLock { shown in
            clear(&shown)
            write(line + "\n")
        }
    }

    private func clear(_ shown: inout Bool) {
        if shown { write("\r\u{1B}[K") }
        shown = false
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private var columns: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
