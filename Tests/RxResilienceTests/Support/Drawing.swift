import RxResilience
import RxTest
import TestSupport
import Testing

/// Draws calls over virtual time, as the pages do. Each row is a call, each column a step:
///
/// | mark | meaning |
/// |---|---|
/// | `.` | waits |
/// | `=` | runs |
/// | `\|` | completes |
/// | `#` | fails |
/// | `x` | is refused |
/// | `!` | is disposed of |
final class Drawing {
    let scheduler = TestScheduler(initialClock: 0)
    private var rows: [(name: String, draw: (Int) -> Character)] = []

    func call(
        _ name: String, at time: Int, lasts span: Int, fails: Bool = false, disposedAt disposal: Int? = nil,
        _ wrap: @escaping (Observable<Int>) -> Observable<Int>
    ) {
        nonisolated(unsafe) let call = Call()
        let end: Recorded<Event<Int>> = fails ? .error(span, TestError.a) : .completed(span)
        let source = scheduler.createColdObservable([end])
        scheduler.scheduleAt(time) { [scheduler] in
            call.asked = scheduler.clock
            call.subscription = wrap(source.asObservable().do(onSubscribe: { call.began = scheduler.clock }))
                .subscribe(
                    onError: { call.end(scheduler.clock, $0 is TestError ? "#" : "x") },
                    onCompleted: { call.end(scheduler.clock, "|") })
        }
        if let disposal {
            scheduler.scheduleAt(disposal) { [scheduler] in
                call.subscription?.dispose()
                call.end(scheduler.clock, "!")
            }
        }
        rows.append((name, call.mark))
    }

    func row(_ name: String, _ mark: @escaping (Int) -> Character) {
        rows.append((name, mark))
    }

    func run(until last: Int) -> String {
        scheduler.start()
        let width = (rows.map(\.name.count).max() ?? 0) + 2
        func line(_ name: String, _ text: String) -> String {
            var line = name + String(repeating: " ", count: width - name.count) + text
            while line.last == " " { line.removeLast() }
            return line
        }
        var ruler = ""
        for step in stride(from: 0, through: last, by: 5) {
            let number = "\(step)"
            ruler += number + String(repeating: " ", count: 5 - number.count)
        }
        let lines = [line("", ruler)] + rows.map { row in line(row.name, String((0...last).map(row.draw))) }
        return lines.joined(separator: "\n")
    }

    private final class Call {
        var asked = Int.max
        var began = Int.max
        var ended = Int.max
        var how: Character = " "
        var subscription: (any Disposable)?

        func end(_ time: Int, _ how: Character) {
            guard ended == .max else { return }
            ended = time
            self.how = how
        }

        func mark(_ step: Int) -> Character {
            if step < asked || step > ended { return " " }
            if step == ended { return how }
            return step < began ? "." : "="
        }
    }
}

func expectPage(
    _ name: String, shows drawing: String, file: String = #filePath, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let root = file.split(separator: "/").prefix { $0 != "Tests" }.joined(separator: "/")
    let page = try text(of: "/\(root)/Sources/RxResilience/RxResilience.docc/\(name).md")
    #expect(page.contains("```\n\(drawing)\n```"), "\(name).md has to show\n\(drawing)", sourceLocation: sourceLocation)
}
