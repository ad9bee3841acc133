internal import CRxCore
@_spi(RxServer) public import RxSwift

/// The threads, schedulers and records of one run of ``explore(schedules:seed:replay:fileID:filePath:line:column:_:)``.
///
/// Guards:
/// - `phase`, `refusal`, `lateJobs`, `isDraining`: protected by the lock of `guarded`.
/// - Other properties, and the objects that the world makes: used by the exploring thread before and after the run, and
///   by the one running controlled thread during the run.
public final class ExploredWorld: @unchecked Sendable {  // because of the guards above
    enum Phase {
        case building
        case running
        case ended
    }

    struct Thread {
        var name: String
        var actions: [@Sendable () -> Void]
    }

    struct Entry {
        var thread: String
        var text: String
    }

    struct Condition {
        var line: UInt
        var isTrue: () -> Bool
    }

    private struct Guarded {
        var phase = Phase.building
        var refusal: String?
        /// Jobs of tasks and actors that arrived after the run, or must wait for its end.
        var lateJobs: [(executor: ExploredExecutor, job: UnownedJob)] = []
        var isDraining = false
    }

    private let guarded = Locked(Guarded())
    private(set) var threads: [Thread] = []
    private(set) var conditions: [Condition] = []
    private(set) var records: [any RunRecord] = []
    private(set) var schedulers: [ExploredScheduler] = []
    private var names: [Int: String] = [:]
    private var notes: [String: [String]] = [:]
    private(set) var timeline: [Entry] = []
    private(set) var fault: String?
    let clock = ExploredClock()
    private let keepsTimeline: Bool
    private var hasStarted = false
    /// The executor for asynchronous work of the world's threads, such as that of `flatMapAsync`.
    private var work: ExploredExecutor?
    var oracle: (RunResult) -> Bool = { _ in true }

    init(keepsTimeline: Bool = false) {
        self.keepsTimeline = keepsTimeline
    }

    // MARK: Building

    /// Adds `actions` to the thread `name`. The first call with a name adds the thread. The actions are called in
    /// order. Other threads may run between two actions, and at the control points within an action.
    @preconcurrency
    public func thread(_ name: String, _ actions: (@Sendable () -> Void)...) {
        guard phase == .building else { return refuse("world.thread(\"\(name)\") was called while the threads ran") }
        if let index = threads.firstIndex(where: { $0.name == name }) {
            threads[index].actions += actions
        } else {
            threads.append(Thread(name: name, actions: actions))
        }
    }

    /// Subscribes to `source` and records its events. The timeline shows them as `name`. Each event is a control point.
    /// The world disposes of the subscription after it has evaluated the conditions of ``finally(_:line:)``.
    public func record<Source: ObservableConvertibleType>(
        _ source: Source, as name: String = "record"
    ) -> ExploredRecord<Source.Element> {
        let record = ExploredRecord<Source.Element>(self, name)
        records.append(record)
        record.listen(to: source.asObservable())
        return record
    }

    /// Makes a serial scheduler. `name` is the name of its thread in the timeline.
    public func scheduler(_ name: String) -> ExploredScheduler {
        let scheduler = ExploredScheduler(self, name)
        schedulers.append(scheduler)
        return scheduler
    }

    /// Makes an executor for tasks and actors. `name` is the name of its thread in the timeline.
    public func executor(_ name: String) -> ExploredExecutor {
        ExploredExecutor(self, scheduler(name))
    }

    /// Adds a condition, `isTrue`, that the exploring thread evaluates when all threads have ended and no job or timer
    /// is left. If the condition is false, `line` is reported.
    public func finally(_ isTrue: @escaping () -> Bool, line: UInt = #line) {
        conditions.append(Condition(line: line, isTrue: isTrue))
    }

    // MARK: Running

    /// A control point of the program, shown as `text`. Another thread of the world may run here.
    public func point(_ text: String = "point") {
        guard crx_explore_current() >= 0 else { return }
        ControlPoint.pass("a point of the program")
        show(text)
    }

    /// Adds the description of `value`, such as a call's result, to the notes of the calling thread. The timeline shows
    /// the notes, and ``isLinearizable`` compares them.
    public func note(_ value: Any) {
        let text = String(describing: value)
        if crx_explore_current() < 0, phase == .running {
            return refuse("world.note(\(text)) was called on a thread that the world does not control")
        }
        notes[threadName, default: []].append(text)
        show(text)
    }

    /// Whether the program would give the result of this run if its actions ran one at a time, in some order. Use it in
    /// a condition of ``finally(_:line:)``.
    ///
    /// A result consists of the events of each record and the notes of each thread. An action is a closure of
    /// ``thread(_:_:)``, or a job or a timer of a scheduler. An order never swaps two actions of one thread. A program
    /// with more than 4 000 orders stops the process.
    ///
    /// This condition is stricter than the guarantees of a sequence. If another thread is delivering, an element may
    /// arrive after its `onNext` has returned. A delivery in progress may finish after a disposal.
    public var isLinearizable: Bool { oracle(result) }

    /// Makes the exploration fail. The first `text` is reported.
    func refuse(_ text: String) {
        guarded.withLock { if $0.refusal == nil { $0.refusal = text } }
    }

    var phase: Phase { guarded.withLock { $0.phase } }

    func runAfterRun(_ job: UnownedJob, on executor: ExploredExecutor) {
        guarded.withLock { $0.lateJobs.append((executor, job)) }
        runLateJobs()
    }

    private func runLateJobs() {
        let isMine = guarded.withLock { guarded in
            guard guarded.phase == .ended, !guarded.isDraining else { return false }
            guarded.isDraining = true
            return true
        }
        guard isMine else { return }
        while let (executor, job) = nextLateJob() { executor.run(job) }
    }

    private func nextLateJob() -> (executor: ExploredExecutor, job: UnownedJob)? {
        guarded.withLock { guarded in
            guarded.isDraining = !guarded.lateJobs.isEmpty
            return guarded.isDraining ? guarded.lateJobs.removeFirst() : nil
        }
    }

    func blame(_ text: String) {
        if fault == nil { fault = text }
    }

    private var threadName: String { name(of: Int(crx_explore_current())) }

    func name(of thread: Int) -> String { names[thread] ?? "test" }

    func show(_ text: @autoclosure () -> String) {
        if keepsTimeline { timeline.append(Entry(thread: threadName, text: text())) }
    }

    func spawn(_ name: String, _ body: @escaping () -> Void) {
        let work = work
        if let number = Schedule.spawn({ WorkExecutor.preferred.withValue(work, operation: body) }) {
            names[number] = name
        }
    }

    private func perform(_ index: Int) {
        if !hasStarted {
            hasStarted = true
            work = ExploredExecutor(self, nil)
            schedulers.forEach { $0.start() }
            clock.start(self)
        }
        guard threads.indices ~= index else { return }
        for action in threads[index].actions {
            ControlPoint.mark("an action of the program")
            WorkExecutor.preferred.withValue(work) { action() }
        }
    }

    func run(_ strategy: Schedule.Strategy, patience: Int) -> Schedule.Report {
        for (index, thread) in threads.enumerated() { names[index] = thread.name }
        guarded.withLock { $0.phase = .running }
        var called: ((Int, String) -> Void)?
        if keepsTimeline { called = { [unowned self] _, place in show(place) } }
        let report = Schedule.run(
            strategy, threads: max(1, threads.count), patience: patience, name: { [unowned self] in name(of: $0) },
            called: called, perform)
        guarded.withLock { $0.phase = .ended }
        // The threads of an unfinished run may hold locks that the jobs need.
        if report.stuck == nil { runLateJobs() }
        return report
    }

    func failure() -> String? {
        if let refusal = guarded.withLock({ $0.refusal }) { return refusal }
        if let fault { return fault }
        for condition in conditions where !condition.isTrue() {
            return "the condition of world.finally in line \(condition.line) is false"
        }
        return nil
    }

    var result: RunResult { RunResult(records: records.map(\.texts), notes: notes) }

    func end() {
        for record in records { record.end() }
        schedulers.forEach { $0.end() }
        (conditions, threads, work) = ([], [], nil)
    }
}

struct RunResult: Hashable {
    var records: [[String]]
    var notes: [String: [String]]
}
