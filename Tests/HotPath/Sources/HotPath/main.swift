#if canImport(Glibc)
    import Glibc
#endif
import CCounters

// HotPath [--count N] [ROW...]: measures the cost of an event in each row, or in the named rows. It subtracts the
// counts for N events from those for 2N events. Each row states its allowed counts.

func refuse(_ why: String) -> Never {
    fputs("HotPath: \(why)\n", stderr)
    exit(2)
}

var chosen = CommandLine.arguments.dropFirst()
var count = 10_000
// `--count` is for callgrind. If no rows are named, it runs only the rows that allow no allocation.
var isCounting = false
if chosen.first == "--count" {
    chosen = chosen.dropFirst()
    guard let wanted = chosen.popFirst().flatMap({ Int($0) }), wanted > 0 else {
        refuse("--count needs a number of events")
    }
    count = wanted
    isCounting = true
}
// Otherwise a misspelt name would select no row, and the run would pass.
if let unknown = chosen.first(where: { name in !rows.contains { $0.name == name } }) {
    refuse("there is no row '\(unknown)'")
}

func line(_ name: String, _ columns: [String], _ verdict: String) {
    let cells = columns.map { String(repeating: " ", count: max(0, 12 - $0.count)) + $0 }
    print(name + String(repeating: " ", count: max(1, 44 - name.count)) + cells.joined() + "  " + verdict)
}

func share(_ number: Int, of events: Int) -> String {
    if number == 0 { return "0" }
    let hundredths = (number * 100 + events / 2) / max(1, events)
    return hundredths == 0 ? "\(number) in all" : "\(hundredths / 100).\(hundredths / 10 % 10)\(hundredths % 10)"
}

line("for each event or subscription", ["allocations", "metadata", "accesses", "mutexes", "references"], "")
var missed = 0
for row in rows where chosen.isEmpty ? !isCounting || row.allowed.isEmpty : chosen.contains(row.name) {
    let result = row.measure(count)
    if !result.isFree { missed += 1 }
    line(
        result.name, result.columns.map { share($0, of: result.units) },
        result.isFree ? "ok" : result.units > 0 ? "MISSED" : "NO EVENTS")
}

let deep = deepChains()
let all = stages.count + links.count
if deep < all { missed += 1 }
line("long chains on 512 KiB", ["\(deep) of \(all)"], deep == all ? "ok" : "MISSED")

// callgrind only counts calls, so the trials do not run under it.
if chosen.isEmpty && !isCounting { missed += brokenByDeinits() }

// A counter that always reads 0 would let every row pass.
let before = counters_now()
withExtendedLifetime((0..<100).map { [$0] }) {}
let blind = (counters_now() - before).allocations < 100
print(blind ? "the counters are blind" : missed == 0 ? "hot path passed" : "hot path FAILED: \(missed) rows")
exit(blind || missed > 0 ? 1 : 0)
