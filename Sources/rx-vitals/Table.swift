import Glibc

/// A table, redrawn in place on a terminal and printed repeatedly elsewhere.
struct Table: Output {
    var isLive = isatty(STDOUT_FILENO) != 0

    func show(_ frame: Frame) throws {
        guard isLive else { return try write(Table.lines(frame).map { $0 + "\n" }.joined() + "\n") }
        // Each line clears the rest of its row, because clearing the whole screen would flicker.
        let size = terminalSize()
        let lines = Table.lines(frame).prefix(size.rows - 1).map { String($0.prefix(size.columns)) + "\u{1b}[K\r\n" }
        try write("\u{1b}[?25l\u{1b}[H" + lines.joined() + "\u{1b}[J")
    }

    func end() {
        if isLive { try? write("\u{1b}[?25h") }
    }

    static func lines(_ frame: Frame) -> [String] {
        let vitals = frame.vitals
        let load = [vitals.load.oneMinute, vitals.load.fiveMinutes, vitals.load.fifteenMinutes].map { fixed($0, 2) }
        let alarms = frame.alarms.map { "  ALARM: \($0.rawValue) over \(percent(Alarm.threshold))" }

        var lines = ["load  " + load.joined(separator: " ") + alarms.joined()]
        lines += [meter("cpu", vitals.cpu.busy, "")]
        lines += vitals.cpu.cores.map { meter(" \($0.number)", $0.busy, "") }
        lines += [meter("mem", vitals.memory.share, "\(bytes(vitals.memory.used)) of \(bytes(vitals.memory.total))")]
        if vitals.memory.swapTotal > 0 {
            lines += [
                meter(
                    "swap", Double(vitals.memory.swapUsed) / Double(vitals.memory.swapTotal),
                    bytes(vitals.memory.swapUsed))
            ]
        }
        lines += vitals.disks.map { rates("disk", $0.name, "read", $0.read, "written", $0.written) }
        lines += vitals.networks.map { rates("net", $0.name, "in", $0.received, "out", $0.sent) }
        if !vitals.processes.isEmpty {
            lines += ["", right("PID", 8) + right("CPU", 9) + right("MEMORY", 10) + "  COMMAND"]
            lines += vitals.processes.map {
                right("\($0.pid)", 8) + right(percent($0.cpu), 9) + right(bytes(Double($0.memory)), 10) + "  \($0.name)"
            }
        }
        return lines
    }

    private static func meter(_ name: String, _ share: Double, _ note: String) -> String {
        let width = 30
        let full = Int((share * Double(width)).rounded())
        let bar = String(repeating: "|", count: full) + String(repeating: " ", count: width - full)
        return "\(left(name, 6))[\(bar)]\(right(percent(share), 8))" + (note.isEmpty ? "" : "  \(note)")
    }

    private static func rates(
        _ kind: String, _ name: String, _ inward: String, _ input: Double, _ outward: String, _ output: Double
    ) -> String {
        left(kind, 6) + left(name, 14) + right(bytes(input), 9) + "/s \(left(inward, 6))" + right(bytes(output), 9)
            + "/s \(outward)"
    }
}

private func terminalSize() -> (rows: Int, columns: Int) {
    var size = winsize()
    let known = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 1 && size.ws_col > 0
    return known ? (Int(size.ws_row), Int(size.ws_col)) : (24, 80)
}

func bytes(_ amount: UInt64) -> String { bytes(Double(amount)) }

/// Three figures and a unit: `0 B`, `1.50 kB`, `12.3 GB`.
func bytes(_ amount: Double) -> String {
    var amount = amount
    var units = ["B", "kB", "MB", "GB", "TB", "PB"][...]
    while amount >= 999.5, units.count > 1 {
        amount /= 1000
        units.removeFirst()
    }
    let places = units.first == "B" || amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2
    return "\(fixed(amount, places)) \(units.first ?? "")"
}

private func percent(_ share: Double) -> String { fixed(share * 100, 1) + " %" }

private func fixed(_ number: Double, _ places: Int) -> String {
    let scale = [1, 10, 100][places]
    let parts = Int((number * Double(scale)).rounded())
    guard places > 0 else { return "\(parts)" }
    let fraction = "\(parts % scale)"
    return "\(parts / scale)." + String(repeating: "0", count: places - fraction.count) + fraction
}

private func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
}

private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
}
