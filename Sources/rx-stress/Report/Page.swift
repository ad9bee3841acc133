extension Summary {
    /// A self-contained page, without scripts or external files.
    func page(comparedWith earlier: EarlierReport? = nil) -> String {
        """
        <!doctype html>
        <html lang=en><meta charset=utf-8><meta name=viewport content="width=device-width, initial-scale=1">
        <title>soak \(mark)</title>
        <style>\(Self.style)</style>
        <header class=\(mark.lowercased())>
        <p class=mark>\(mark)</p>
        <div><h1>Soak</h1><p>\(verdict.escaped)</p></div>
        </header>
        <dl>\(facts.map { "<div><dt>\($0.0)</dt><dd>\($0.1.escaped)</dd></div>" }.joined())</dl>
        <p class=origin>\(origin.words.escaped)</p>
        \(overview)
        <section><h2>Scenarios</h2>\(earlier.map { "<p>Small: the change, \(comparison(with: $0).escaped).</p>" } ?? "")
        <div class=wide><table><thead><tr><th>scenario<th>operations<th>operations/s<th>median<th>99.9th<th>worst<th>peak memory<th></tr></thead>
        <tbody>\(scenarios.map { row($0, earlier) }.joined(separator: "\n"))</tbody></table></div></section>
        \(scenarios.map(card).joined(separator: "\n"))
        <footer>Throughput and latency are those of the scenario's operations, measured on the threads that make them; one operation in
        eight is timed. Memory is the resident set of the whole process.</footer>
        </html>
        """
    }

    private var facts: [(String, String)] {
        [
            ("time", Format.seconds(seconds)), ("threads", "\(threads)"), ("seed", "\(seed)"),
            ("operations", Format.short(Double(scenarios.reduce(0) { $0 + $1.operations }))),
            ("events", Format.short(Double(scenarios.reduce(0) { $0 + $1.events }))),
            ("subscriptions", Format.short(Double(scenarios.reduce(0) { $0 + $1.subscriptions }))),
            ("peak memory", Format.bytes(scenarios.map(\.peakBytes).max() ?? 0)),
            ("sanitizer", sanitizer?.rawValue ?? "none"),
            ("violations", "\(scenarios.reduce(0) { $0 + $1.violationCount })"),
        ]
    }

    /// The memory of the whole soak, because one scenario's leak is visible in the later scenarios.
    private var overview: String {
        let points = scenarios.flatMap { $0.samples.map { (x: $0.seconds, y: Double($0.residentBytes)) } }
        let plot = Plot(
            title: "resident memory, all scenarios", series: [.init(name: "memory", style: "b", points: points)],
            unit: 1_048_576, label: { Format.bytes(Int($0)) },
            bands: scenarios.compactMap { outcome in
                outcome.samples.first.map { .init(name: outcome.name, from: $0.seconds) }
            }, size: .wide)
        return "<section class=overview>\(plot.svg)</section>"
    }

    private func row(_ outcome: Outcome, _ earlier: EarlierReport?) -> String {
        let state =
            outcome.violationCount == 0
            ? "<td class=ok>ok" : "<td class=bad>\(Format.plural(outcome.violationCount, "violation"))"
        let before = earlier?.figures(of: outcome.name)
        func change(_ former: (EarlierReport.Figures) -> Double, _ now: Double) -> String {
            before.map { "<small>\(Format.change(from: former($0), to: now))</small>" } ?? ""
        }
        return """
            <tr><th><a href="#\(outcome.name)">\(outcome.name)</a><td>\(Format.count(outcome.operations))\
            <td>\(Format.count(Int(outcome.operationsPerSecond)))\(change(\.operationsPerSecond, outcome.operationsPerSecond))\
            <td>\(Format.nanoseconds(outcome.medianNanoseconds))\
            \(change({ Double($0.medianNanoseconds) }, Double(outcome.medianNanoseconds)))\
            <td>\(Format.nanoseconds(outcome.tailNanoseconds))\
            \(change({ Double($0.tailNanoseconds) }, Double(outcome.tailNanoseconds)))\
            <td>\(Format.nanoseconds(outcome.worstNanoseconds))\
            <td>\(Format.bytes(outcome.peakBytes))\(change({ Double($0.peakBytes) }, Double(outcome.peakBytes)))\(state)</tr>
            """
    }

    private func card(_ outcome: Outcome) -> String {
        func points(_ value: (Recorder.Sample) -> Double?) -> [(x: Double, y: Double)] {
            outcome.samples.compactMap { sample in value(sample).map { (x: sample.seconds, y: $0) } }
        }
        let plots = [
            Plot(
                title: "operations a second",
                series: [.init(name: "operations/s", style: "a", points: points(\.operationsPerSecond))],
                label: Format.short),
            Plot(
                title: "resident memory",
                series: [.init(name: "memory", style: "b", points: points { Double($0.residentBytes) })],
                unit: 1_048_576, label: { Format.bytes(Int($0)) }),
            Plot(
                title: "latency",
                series: [
                    .init(
                        name: "99.9th percentile", style: "c", points: points { $0.tailNanoseconds.map { Double($0) } }),
                    .init(name: "median", style: "a", points: points { $0.medianNanoseconds.map { Double($0) } }),
                ], scale: .logarithmic, label: { Format.nanoseconds(UInt64($0)) }),
        ]
        let violations = outcome.violations.map { violation in
            "<li><b>\(violation.check.rawValue)</b>, round \(violation.round): \(violation.message.escaped)"
        }
        return """
            <section id="\(outcome.name)"><h2>\(outcome.name)</h2><p>\(outcome.summary.escaped). \(Format.plural(outcome.rounds, "round")), \
            \(Format.short(Double(outcome.events))) events, \(Format.short(Double(outcome.subscriptions))) subscriptions in \
            \(Format.seconds(outcome.seconds)).</p>
            \(violations.isEmpty ? "" : "<ul class=bad>\(violations.joined())</ul>")
            <div class=plots>\(plots.map(\.svg).joined(separator: "\n"))</div></section>
            """
    }

    private static let style = """
        :root{color-scheme:light dark;--page:#f6f7f9;--card:#fff;--text:#1d2530;--faint:#667085;--rule:#e3e7ed;--a:#2563eb;--b:#0d9373;--c:#c2410c;
        --good:#0b7a55;--bad:#b42318}
        @media(prefers-color-scheme:dark){:root{--page:#11151b;--card:#1a2029;--text:#e6e9ee;--faint:#98a2b3;--rule:#2b3440;--a:#7aa7ff;--b:#4ed1ac;
        --c:#ff9a62;--good:#4ed1ac;--bad:#ff8a80}}
        *{box-sizing:border-box}
        body{margin:0 auto;max-width:1180px;padding:24px 20px 48px;background:var(--page);color:var(--text);
        font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
        header{display:flex;gap:18px;align-items:center;margin-bottom:18px}
        header p{margin:0;color:var(--faint);overflow-wrap:anywhere}h1{margin:0;font-size:24px;letter-spacing:-.01em}
        header .mark{flex:none;padding:8px 16px;border-radius:8px;color:#fff;font-weight:650;background:#0b7a55}header.failed .mark{background:#b42318}
        header.interrupted .mark{background:#92600a}
        dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(112px,1fr));gap:1px;margin:0 0 18px;border:1px solid var(--rule);
        border-radius:10px;overflow:hidden;background:var(--rule)}
        dl div{padding:10px 14px;background:var(--card)}dt{color:var(--faint);font-size:12px}dd{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
        section{margin:0 0 18px;padding:16px 18px;background:var(--card);border:1px solid var(--rule);border-radius:10px;scroll-margin-top:12px}
        h2{margin:0 0 4px;font-size:17px}section>p,.origin{margin:0 0 12px;color:var(--faint)}small{margin-left:6px;color:var(--faint)}
        .wide{overflow-x:auto}table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
        th,td{padding:5px 12px;text-align:right;white-space:nowrap;border-bottom:1px solid var(--rule)}
        thead th{color:var(--faint);font-size:12px;font-weight:500}tbody tr:last-child>*{border-bottom:0}
        th:first-child{padding-left:0;text-align:left}tbody th{font-weight:500}th:last-child,td:last-child{padding-right:0}
        a{color:var(--a);text-decoration:none}a:hover{text-decoration:underline}.ok{color:var(--good)}.bad{color:var(--bad)}
        ul.bad{margin:0 0 12px;padding-left:20px}
        .plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(300px,1fr));gap:18px}
        figure{margin:0;min-width:0}figcaption{display:flex;gap:14px;font-size:12px;color:var(--faint)}svg{display:block;width:100%;height:auto}
        .grid{stroke:var(--rule);stroke-width:1}.tick{fill:var(--faint);font-size:10px;font-variant-numeric:tabular-nums}
        .line{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}.area{opacity:.13}.band{fill:var(--text);opacity:.045}.band:hover{opacity:.1}
        .name{fill:var(--faint);font-size:9px}
        .a{stroke:var(--a)}.b{stroke:var(--b)}.c{stroke:var(--c)}.area.a{fill:var(--a);stroke:none}.area.b{fill:var(--b);stroke:none}
        .key::before{content:"";display:inline-block;width:12px;height:2px;margin-right:6px;vertical-align:middle;background:var(--a)}
        .key.c::before{background:var(--c)}
        .spot{opacity:0;stroke:none;fill:var(--text)}.spot:hover{opacity:1}.none{color:var(--faint)}
        footer{color:var(--faint);font-size:13px}
        """
}

extension String {
    fileprivate var escaped: String {
        var text = ""
        for character in self {
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "\"": text += "&quot;"
            default: text.append(character)
            }
        }
        return text
    }
}
