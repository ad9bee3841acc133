#if canImport(Glibc)
    import Glibc
#endif

// Rivals [--rounds N] [ROW...]: prints each row's cost for each contender as a Markdown table. The fastest round
// counts. A round runs every row for a short time, so that a busy moment affects all rows.

func stop(_ why: String) -> Never {
    fputs("Rivals: \(why)\n", stderr)
    exit(1)
}

func cell(_ nanoseconds: Double?, best: Double?) -> String {
    guard let nanoseconds else { return "" }
    let text = nanoseconds < 10 ? "\((nanoseconds * 10).rounded() / 10)" : "\(Int(nanoseconds.rounded()))"
    return nanoseconds == best ? "**\(text)**" : text
}

var arguments = CommandLine.arguments.dropFirst()
var rounds = 100
if arguments.first == "--rounds" {
    arguments = arguments.dropFirst()
    guard let wanted = arguments.popFirst().flatMap({ Int($0) }), wanted > 0 else { stop("--rounds needs a number") }
    rounds = wanted
}
if let unknown = arguments.first(where: { name in !rows.contains { $0.name == name } }) {
    stop("there is no row '\(unknown)'")
}
let chosen = rows.filter { arguments.isEmpty || arguments.contains($0.name) }

var results = [[Double?]](repeating: [nil, nil, nil, nil], count: chosen.count)
for _ in 0..<rounds {
    for (index, row) in chosen.enumerated() {
        let measured = await row.measure()
        results[index] = zip(results[index], measured).map { before, now in
            guard let before, let now else { return before ?? now }
            return min(before, now)
        }
    }
}

print("| | RxLinux | OpenCombine | async sequences | closures by hand |")
print("|---|---|---|---|---|")
for (row, result) in zip(chosen, results) {
    let best = result.prefix(3).compactMap { $0 }.min()
    print("| \(row.name) | \(result.map { cell($0, best: best) }.joined(separator: " | ")) |")
}
