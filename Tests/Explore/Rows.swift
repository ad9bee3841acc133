@testable import ContractTable
import CRxCore
import RxSwift
import TestSupport

/// A row of the contract table as the pipeline of a program. Its notation is `row.NAME`; `name(_:)` makes `NAME` from
/// the row's name and note.
struct RowPipeline {
    let row: Row
    let sources: Int
    /// Whether the row uses the rig's scheduler. If so, a thread that runs the scheduler's actions may deliver other
    /// threads' elements.
    let isScheduled: Bool
    let operators: Operators

    /// Why programs do not use `row`; nil if they do.
    static func reason(against row: Row) -> String? {
        for (trait, reason) in reasons where row.is(trait) { return reason }
        return exempt[row.testDescription]
    }

    static let reasons: [(Row.Traits, String)] = [
        (.delegates, "has no logic of its own, and calls another row's operator"),
        (.awaits, "observes its sources in a task that no controlled thread starts"),
        (.anchored, "belongs to a control, which the main thread drives"),
    ]

    /// Rows that programs omit although their traits permit them, with the reasons.
    static let exempt: [String: String] = [
        "observe(on:buffering:) newest": "drops elements if its scheduler is late",
        "observe(on:buffering:) oldest": "drops elements if its scheduler is late",
        "flatMapLatestAsync(_:)": "drops elements whose tasks have not run",
        "Infallible.flatMapLatestAsync(_:)": "drops elements whose tasks have not run",
        "NotificationCenter.rx.notification(_:object:)": "is released under a lock of Foundation",
        "NotificationCenter.rx.notification(_:object:) of a sender": "has elements whose text contains an address",
        "window(timeSpan:count:scheduler:) flattened": "has more timers than a run has steps",
        "expand(_:) another sequence": "subscribes in its gate, where no other action of an order can come in between",
        "partition(_:)": "subscribes to a shared sequence twice, and no other action of an order can come in between",
    ]

    /// Rows whose work runs when an action ends, so an error of the source may drop elements.
    static let withWork: Set<String> = ["flatMapAsync(_:)", "flatMapAsync(maxConcurrent:_:)", "concatMapAsync(_:)"]

    /// The rows that programs use, and the names of the rows without a source to push into.
    nonisolated(unsafe) private static let found: (all: [String: RowPipeline], withoutSources: Set<String>) = {
        var all: [String: RowPipeline] = [:]
        var withoutSources: Set<String> = []
        for row in Table.rows where reason(against: row) == nil {
            let (sources, isScheduled) = trial(row)
            if sources == 0 { withoutSources.insert(name(row)) }
            if sources > 0 && sources <= Program.subjects {
                all[name(row)] = RowPipeline(row, sources, isScheduled)
            }
        }
        return (all, withoutSources)
    }()
    static var all: [String: RowPipeline] { found.all }
    static var withoutSources: Set<String> { found.withoutSources }
    static let names = all.keys.sorted()

    static func name(_ row: Row) -> String {
        // `x` stands for a parameter without a label.
        func words(_ text: String) -> String {
            let pieces = text.map { $0 == "_" ? "x" : $0 }.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
            return pieces.map { "_" + String($0) }.joined()
        }
        return "row" + words(row.name) + (row.note.isEmpty ? "" : "_" + words(row.note))
    }

    private init(_ row: Row, _ sources: Int, _ isScheduled: Bool) {
        (self.row, self.sources, self.isScheduled) = (row, sources, isScheduled)
        operators = Operators(
            endsEarly: !row.traits.isDisjoint(with: [.endsItself, .waits, .fails, .oneEvent]), isCompound: true,
            dropsAtFailure: Self.withWork.contains(row.testDescription)
        ) { _, _, _ in fatalError("a row is not applied to sequences") }
    }

    /// Subscribes to the row and sends an element from each source. Returns the number of sources, and whether the row
    /// uses the scheduler.
    private static func trial(_ row: Row) -> (sources: Int, isScheduled: Bool) {
        let run = RowRun(row)
        let subscription = run.subscribe { _ in }
        run.rig.settle(0)
        for source in 0..<Program.subjects { run.send(source, .next(source)) }
        subscription.dispose()
        run.rig.settle()
        return (run.rig.feeds.count, run.rig.scheduler.wasUsed)
    }
}

final class RowRun {
    private struct Failure: Error {}

    let rig: Rig
    private let form: Row.Form
    /// The probes, retained because a form may refer to its probe weakly.
    private var probes: [Probe] = []

    init(
        _ row: Row, onCall: @escaping () -> Void = {}, onPass: @escaping () -> Void = {},
        onSubscribe: @escaping () -> Void = {}
    ) {
        rig = Rig(row.is(.retries) ? .create : .subject)
        rig.onCall = onCall
        rig.onPass = { _ in onPass() }
        rig.onSubscribe = { _ in onSubscribe() }
        form = row.form(rig)
    }

    func send(_ source: Int, _ event: Event<Int>) {
        guard rig.feeds.indices ~= source else { return }
        switch event {
        case .next(let value): rig.feeds[source].send(.next(rig.make(value)))
        case .error: rig.feeds[source].send(.error(TestError.a))
        case .completed: rig.feeds[source].send(.completed)
        }
        rig.settle(0)
    }

    /// Subscribes. `receive` gets the elements as numbers, and the ends as `World.Entry`.
    func subscribe(_ receive: @escaping (Int) -> Void) -> any Disposable {
        let probe = Probe()
        probe.onElement = { receive(Self.number($0)) }
        var (errors, completions) = (0, 0)
        probe.onEvent = { [unowned probe] in
            if probe.errors > errors {
                errors = probe.errors
                receive(World.Entry.failed)
            }
            if probe.completions > completions {
                completions = probe.completions
                receive(World.Entry.completed)
            }
        }
        defer { rig.settle(0) }
        probes.append(probe)
        return form.subscribe(probe)
    }

    /// Returns the number in an element's text. If the text is no number, returns a hash of the text.
    private static func number(_ element: Any) -> Int {
        let text = String(describing: element)
        if let number = Int(text) { return number }
        var hash: UInt32 = 2_166_136_261
        for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        texts[Int(hash)] = text
        return Int(hash)
    }

    nonisolated(unsafe) static var texts: [Int: String] = [:]
}

extension Program {
    static func row(_ name: String, _ random: inout Random) -> Program {
        var program = Program()
        program.kind = rowKind
        program.stages = [Stage(name: name)]
        let used = program.usedSubjects
        var value = 0
        func push(_ subject: Int) -> Action {
            value += 1
            return .push(subject, value)
        }
        let isObserved = !random.oneIn(8)
        if isObserved { program.setup.append(.subscribe(0)) }
        if random.oneIn(2) { program.setup.append(push(used.randomElement(using: &random)!)) }
        for number in 0..<2 {
            let favourite = used[number % used.count]
            var actions = (0..<Int.random(in: 1...(number == 0 ? 3 : 2), using: &random)).map { _ in
                random.oneIn(3) ? push(used.randomElement(using: &random)!) : push(favourite)
            }
            if number == 1 && !isObserved { actions[0] = .subscribe(0) }
            if random.oneIn(4) {
                actions[actions.count - 1] = random.oneIn(4) ? .fail(favourite) : .complete(favourite)
            } else if isObserved && random.oneIn(6) {
                actions[actions.count - 1] = .dispose(0)
            }
            program.threads.append(actions)
        }
        return program
    }

    static let rowKind = "row"
}
