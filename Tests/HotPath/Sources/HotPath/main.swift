#if canImport(Glibc)
    import Glibc
#endif
import CCounters

// Counts, for each row, what an event costs that must cost nothing: the difference between N events and 2N has to be 0.
// HotPath [--count N] [ROW...]: with names, only the rows of these names run.

func refuse(_ why: String) -> Never {
    fputs("HotPath: \(why)\n", stderr)
    exit(2)
}

var chosen = CommandLine.arguments.dropFirst()
var count = 10_000
// Under callgrind not one more call may be made in all.
var isCounting = false
if chosen.first == "--count" {
    chosen = chosen.dropFirst()
    guard let wanted = chosen.popFirst().flatMap({ Int($0) }), wanted > 0 else {
        refuse("--count wants a number of events")
    }
    count = wanted
    isCounting = true
}
// A name that is nobody's would leave nothing to fail.
if let unknown = chosen.first(where: { name in !rows.contains { $0.name == name } }) {
    refuse("there is no row '\(unknown)'")
}

func line(_ name: String, _ columns: [String], _ verdict: String) {
    let cells = columns.map { String(repeating: " ", count: max(0, 12 - $0.count)) + $0 }
    print(name + String(repeating: " ", count: max(1, 44 - name.count)) + cells.joined() + "  " + verdict)
}

/// Per event, with two digits.
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

// These are not for callgrind, which counts calls alone.
if chosen.isEmpty && !isCounting { missed += brokenByDeinits() }

// The counters see what they are for: a gauge that reads 0 whatever happens would let everything pass.
let before = counters_now()
withExtendedLifetime((0..<100).map { [$0] }) {}
let blind = (counters_now() - before).allocations < 100
print(blind ? "the counters are blind" : missed == 0 ? "hot path passed" : "hot path FAILED: \(missed) rows")
exit(blind || missed > 0 ? 1 : 0)
