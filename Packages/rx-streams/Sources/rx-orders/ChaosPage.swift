import Foundation

/// A report as one self-contained HTML page without scripts.
struct ChaosPage {
    private let audit: Audit
    private let run: ChaosRun
    private let begin: Double
    private let end: Double

    init(_ audit: Audit, _ run: ChaosRun) {
        self.audit = audit
        self.run = run
        let times = run.progress.map(\.time) + run.memory.map(\.time)
        begin = times.min() ?? 0
        end = max(times.max() ?? 1, begin + 1)
    }

    private var isWell: Bool { audit.isWell && run.checks.allSatisfy(\.isWell) }

    var html: String {
        let mark = isWell ? "PASSED" : "FAILED"
        let figures = audit.figures.map { figure in
            "<tr class=\(figure.isWell ? "ok" : "bad")><td>\(figure.value)<th>\(figure.name)"
        }
        let checks = run.checks.map {
            "<tr class=\($0.isWell ? "ok" : "bad")><td>\($0.isWell ? "ok" : "failed")<th>\($0.what)"
        }
        return """
            <!doctype html>
            <html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width, initial-scale=1">
            <title>chaos \(mark)</title>
            <style>\(Self.style)</style>
            <header class=\(mark.lowercased())><h1>\(mark)</h1><p>\(Int(end - begin)) s, \(troubles)</p></header>
            <table>\((figures + checks).joined(separator: "\n"))</table>
            \(plot("orders settled a second", "a", throughput))
            \(plot("orders that wait", "b", run.progress.map { ($0.time, $0.waiting) }))
            \(plot("orders that are unsettled", "a", run.progress.map { ($0.time, $0.unsettled) }))
            \(plot("memory of the largest worker, MiB", "b", run.memory.map { ($0.time, $0.bytes / 1_048_576) }))
            <footer>A red line is a kill, a dashed one a stop, a cut or a full disk, a band the time in which the API was slow or failed. Point at them for
            more.</footer>
            </html>

            """
    }

    private var troubles: String {
        let names = [
            ("kill", "kills"), ("stop", "stops"), ("cut", "cuts"), ("lock", "locks"),
            ("terminate", "terminated sessions"), ("set", "times the clock was set back"),
            ("connect", "times without free connections"), ("fill", "times without room on the disk"),
        ]
        return names.compactMap { prefix, name in
            let count = run.marks.count { $0.what.hasPrefix(prefix) }
            return count == 0 ? nil : "\(count) \(name)"
        }.joined(separator: ", ")
    }

    /// The throughput, averaged over two seconds, so that single disk syncs do not show.
    private var throughput: [(Double, Double)] {
        let step = 4
        return run.progress.indices.dropFirst(step).map { index in
            let (now, before) = (run.progress[index], run.progress[index - step])
            return (now.time, max(0, (now.settled - before.settled) / max(now.time - before.time, 0.001)))
        }
    }

    private static let (width, height, left, top, floor) = (1_140.0, 170.0, 70.0, 12.0, 140.0)

    private func x(_ time: Double) -> Double {
        Self.left + (time - begin) / (end - begin) * (Self.width - Self.left - 10)
    }

    private func plot(_ title: String, _ style: String, _ points: [(Double, Double)]) -> String {
        guard points.count > 1, let most = points.map(\.1).max() else {
            return "<figure><figcaption>\(title)</figcaption><p>too short to plot</p></figure>"
        }
        let round = Self.round(above: most)
        func y(_ value: Double) -> Double { Self.floor - value / round * (Self.floor - Self.top) }
        var parts = bands
        for tick in [0, round / 2, round] {
            parts.append(
                "<line class=grid x1=\(Self.left) x2=\(Self.width - 10) y1=\(Self.short(y(tick))) y2=\(Self.short(y(tick))) />"
            )
            parts.append(
                "<text x=\(Self.left - 6) y=\(Self.short(y(tick) + 4)) text-anchor=end>\(Self.words(tick))</text>")
        }
        parts += lines
        let path = points.map { "\(Self.short(x($0.0))),\(Self.short(y($0.1)))" }.joined(separator: " ")
        parts.append("<polyline class=\(style) points=\"\(path)\" />")
        parts.append("<text x=\(Self.left) y=160>0 s</text>")
        parts.append("<text x=\(Self.width - 10) y=160 text-anchor=end>\(Int(end - begin)) s</text>")
        return """
            <figure><figcaption>\(title)</figcaption>
            <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role=img aria-label="\(title)">
            \(parts.joined(separator: "\n"))
            </svg></figure>
            """
    }

    private var bands: [String] {
        let weather = run.marks.filter { $0.what.hasPrefix("api ") }.sorted { $0.time < $1.time }
        return weather.indices.compactMap { index in
            let (mark, next) = (weather[index], index + 1 < weather.count ? weather[index + 1].time : end)
            guard mark.what != "api well", next > begin, mark.time < end else { return nil }
            let (from, to) = (x(max(mark.time, begin)), x(min(next, end)))
            return """
                <rect class=\(mark.what == "api slow" ? "slow" : "failing") x=\(Self.short(from)) y=\(Self.top) \
                width=\(Self.short(to - from)) height=\(Self.floor - Self.top)><title>\(mark.what)</title></rect>
                """
        }
    }

    private var lines: [String] {
        run.marks.filter { !$0.what.hasPrefix("api ") && begin...end ~= $0.time }.map { mark in
            let place = Self.short(x(mark.time))
            return """
                <line class=\(mark.what.hasPrefix("kill") ? "kill" : "stop") x1=\(place) x2=\(place) y1=\(Self.top) \
                y2=\(Self.floor)><title>\(mark.what) at \(Self.short(mark.time - begin)) s</title></line>
                """
        }
    }

    private static func round(above value: Double) -> Double {
        var power = 1.0
        while power * 10 <= value { power *= 10 }
        return power * ([1, 2, 5, 10].first { power * $0 >= value } ?? 10)
    }

    private static func short(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

    private static func words(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    private static let style = """
        body{font:15px/1.5 system-ui,sans-serif;max-width:1180px;margin:2em auto;padding:0 1em;color:#1c2430;background:#fff}
        header{border-left:8px solid #2a7d4f;padding:.2em 1em}header.failed{border-color:#b3261e}
        h1{margin:0;font-size:1.6em}header p{margin:0;color:#5b6675}
        table{border-spacing:0 2px;margin:1.5em 0}td{text-align:right;padding-right:1em;font-variant-numeric:tabular-nums}
        th{text-align:left;font-weight:400}tr.bad{color:#b3261e;font-weight:600}
        figure{margin:1.2em 0}figcaption{color:#5b6675}svg{width:100%;height:auto}
        svg text{font-size:11px;fill:#5b6675}.grid{stroke:#e3e7ec}polyline{fill:none;stroke-width:1.5}
        .a{stroke:#2456a6}.b{stroke:#7a4b9d}.kill{stroke:#b3261e;stroke-width:1.2;opacity:.55}
        .stop{stroke:#8a6d1a;stroke-dasharray:4 3}.slow{fill:#f4e9c8}.failing{fill:#f6d5d2}footer{color:#5b6675;font-size:.9em}
        """
}
