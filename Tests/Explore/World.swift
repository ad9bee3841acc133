@testable import ContractTable
import CRxCore
import CRxExplorer
@_spi(RxServer) import RxSwift
import RxTest

/// The result of a run: a list for each observer, stage and subject. An observer's list has its events, a stage's list
/// the arguments of its closure, and a subject's list its subscriptions. The index of a list is its channel.
typealias Outcome = [[Int]]

/// One run of a program: its objects and its log.
// @unchecked Sendable because only the controlled thread that runs, or the caller before and after the run, uses it.
final class World: @unchecked Sendable {
    enum Entry {
        static let completed = -1, failed = -2
        /// The entries for overlapping calls of an observer on two threads, and for a second call after the disposal.
        static let overlaps = -3, late = -4
        /// The entry for a subject that has an observer after all subscriptions have been disposed of.
        static let stays = -5
        /// `live + count`: before the final disposal, the subject had `count` subscriptions as an inner sequence.
        static let live = 100
    }

    private struct Observer {
        var isSubscribed = false
        var subscription: (any Disposable)?
        var isDisposed = false
        /// Whether another thread disposed of the subscription during `subscribe`.
        var isDisposedWhenSubscribed = false
        var lateDeliveries = 0
        var deliveries = 0
        var deliveriesIn: [Int: Int] = [:]
        /// The thread that calls the observer, and the number of nested calls.
        var inside = (thread: Int32(-1), depth: 0)
    }

    private struct Failure: Error {}

    let program: Program
    /// The actions that may take effect after their call has returned.
    let detachable: Set<Int>
    private let splits: Bool
    /// For each thread, the last argument of a stage's closure.
    private var selected: [Int32: Int] = [:]
    /// For each subject, the number of its subscriptions as an inner sequence.
    private var live = [Int](repeating: 0, count: Program.subjects)
    private var hot: [Hot] = []
    private var row: RowRun?
    private var isScheduled = false
    private var pipeline: Observable<Int> = .never()
    private var connectable: ConnectableObservable<Int>?
    private var connection: (any Disposable)?
    /// The number of calls of `connect()` in progress.
    private var connecting = 0
    /// Whether a connection must be disposed of when `connect()` returns it, as in `Observer.isDisposedWhenSubscribed`.
    private var isDisposedWhenConnected = false
    private var observers = [Observer](repeating: Observer(), count: Program.observers)
    private var detached: [(id: Int, thread: Int32, action: Program.Action)] = []
    private var running: Int

    struct Order: Hashable {
        /// The actions in the order in which they began.
        var performed: [Int] = []
        /// The actions without effect, each with the end that had stopped its subject.
        var dropped: [Int: Int] = [:]
    }
    private(set) var order = Order()
    private var returned: [Int] = []
    /// The pairs whose first action had returned before the second began.
    private(set) var precedences: Set<Precedence> = []

    struct Precedence: Hashable {
        var first: Int
        var second: Int

        /// Whether the second action may overtake the first at a gate: true for an element that an observer pushes
        /// (claim 13 of crx_gate.h).
        var mayOvertake: Bool
    }

    /// The pipeline's closures capture this object, so a chain that is not freed retains it.
    final class Token: Sendable {}
    let token = Token()

    private(set) var outcome: Outcome
    /// The result that the oracle searches for, and the number of choices before this run's result differed from it.
    private let target: Oracle.Target?
    private(set) var choicesBeforeDifference: Int?
    /// The actions that may take effect after they have returned (cases 1 and 2 of ``Oracle``).
    private(set) var left: Set<Int> = []
    /// The number of events that pushes outside `left` have enqueued for other threads.
    private(set) var waiting = 0
    /// The actions in progress on another thread during a disposal.
    private(set) var cut: Set<Int> = []
    /// For each subject, the number of subscriptions that case 2 of ``Oracle`` does not count.
    private(set) var passing = [Int](repeating: 0, count: Program.subjects)
    private(set) var timeline: [(thread: Int, text: String)]?

    init(
        _ program: Program, detachable: Set<Int> = [], splits: Bool = false, target: Oracle.Target? = nil,
        keepsTimeline: Bool = false
    ) {
        self.program = program
        self.detachable = detachable
        self.splits = splits
        self.target = target
        timeline = keepsTimeline ? [] : nil
        running = program.threads.count
        outcome = Array(
            repeating: [], count: Program.observers + program.stages.count + Program.subjects)
        if program.kind == Program.rowKind {
            let pipeline = RowPipeline.all[program.stages[0].name]!
            isScheduled = pipeline.isScheduled
            makeRow(pipeline.row)
            return
        }
        hot = (0..<Program.fewSubjects).map { Hot($0 == 0 ? program.kind : "publish") }
        pipeline = source(0)
        for (index, stage) in program.stages.enumerated() {
            let entry = Operators.named(stage.name)!
            var other = stage.other.map { source($0, hasSeveralWays: entry.flattens) } ?? .never()
            var last = entry.alternates ? source(2, hasSeveralWays: true) : .never()
            if splits && entry.disposesFirst {
                (pipeline, other, last) = (splitAtDisposal(pipeline), splitAtDisposal(other), splitAtDisposal(last))
            }
            if entry.takesOne {
                other = other.take(1)
                // `take(1)` sends the element and the end as separate events.
                if splits { other = other.do(onCompleted: { ControlPoint.mark("the end of an inner sequence") }) }
            }
            if entry.alternates {
                let both = [other, last]
                other = .deferred { [unowned self] in both[(selected[crx_explore_current()] ?? 0) % 2] }
            }
            pipeline = entry.apply(pipeline, other) { [unowned self, token] element in
                _ = token
                record(element, Program.observers + index)
                selected[crx_explore_current()] = element
                note("\(stage.name) calls with \(element)")
                ControlPoint.pass("a closure")
            }
            connectable = pipeline as? ConnectableObservable<Int> ?? connectable
            if splits && entry.shares && index + 1 < program.stages.count {
                let shared = pipeline
                pipeline = .deferred {
                    ControlPoint.mark("a subscription")
                    return shared
                }
            }
        }
    }

    private func makeRow(_ row: Row) {
        self.row = RowRun(
            row,
            onCall: { [unowned self, token] in
                _ = token
                record(1, Program.observers)
                note("a closure is called")
                ControlPoint.pass("a closure")
            },
            onPass: { [unowned self] in if splits { ControlPoint.mark("an inner sequence") } },
            onSubscribe: { [unowned self] in if splits { ControlPoint.mark("a subscription") } })
    }

    /// - Parameter hasSeveralWays: whether an element may reach the same chain several times, with other events in
    ///   between.
    private func source(_ subject: Int, hasSeveralWays: Bool = false) -> Observable<Int> {
        var sequence = hot[subject].sequence
        let channel = Program.observers + program.stages.count + subject
        if hasSeveralWays {
            sequence = sequence.do(
                onNext: { [unowned self] _ in if splits { ControlPoint.mark("an inner sequence") } },
                onDispose: { [unowned self] in live[subject] -= 1 })
        }
        return .deferred { [unowned self, sequence] in
            if splits { ControlPoint.mark("a subscription") }
            record(1, channel)
            if hasSeveralWays { live[subject] += 1 }
            note("subscribes to \(Program.letters[subject])")
            return countedIfPassing(sequence, subject)
        }
    }

    /// Counts a subscription in `passing` if case 2 of ``Oracle`` ignores it.
    private func countedIfPassing(_ sequence: Observable<Int>, _ subject: Int) -> Observable<Int> {
        let thread = crx_explore_current()
        guard let event = underWay.last(where: { $0.thread == thread }), event.action.subject != nil,
            let ends = endsDuring[event.id]
        else { return sequence }
        // If the chain is not disposed of, `onSubscribe` subtracts the subscription again.
        passing[subject] += 1
        // nonisolated(unsafe) because only the controlled thread that runs uses it.
        nonisolated(unsafe) var hasEnded = false
        return sequence.do(
            onError: { _ in hasEnded = true }, onCompleted: { hasEnded = true },
            onSubscribe: { [unowned self] in passing[subject] -= 1 },
            onDispose: { [unowned self] in
                let thread = crx_explore_current()
                guard let action = underWay.last(where: { $0.thread == thread })?.id else { return }
                let overlaps = ends.contains(action) || !ends.isDisjoint(with: endsDuring[action] ?? [])
                if action == event.id || overlaps && !hasEnded { passing[subject] += 1 }
            })
    }

    /// Adds a control point at the source's disposal if an action that sends an event disposes of the source.
    private func splitAtDisposal(_ source: Observable<Int>) -> Observable<Int> {
        source.do(onDispose: { [unowned self] in
            let thread = crx_explore_current()
            let action = underWay.last { $0.thread == thread }?.action
            if action?.subject != nil { ControlPoint.mark("a disposal") }
        })
    }

    func note(_ text: @autoclosure () -> String) {
        if timeline != nil { timeline!.append((Int(crx_explore_current()), text())) }
    }

    private func record(_ entry: Int, _ channel: Int) {
        outcome[channel].append(entry)
        guard let target, choicesBeforeDifference == nil, target.channel ?? channel == channel else { return }
        // A later error may remove this entry.
        if program.dropsAtFailure && (channel < Program.observers || row != nil) { return }
        let expected = target.outcome[channel]
        let index = outcome[channel].count - 1
        if index < expected.count ? expected[index] != entry : index >= expected.count + target.slack {
            choicesBeforeDifference = Int(crx_explore_choices())
        }
    }

    // MARK: Running

    /// The milliseconds after which a thread that reaches no control point is reported.
    // nonisolated(unsafe) because only the exploring thread uses it.
    nonisolated(unsafe) static var patience = 10_000

    /// Runs the program. If the run does not end, the world is retained, because the threads still use it.
    func run(_ strategy: Schedule.Strategy, wantsForks: Bool = false) -> Schedule.Report {
        begin()
        let report = Schedule.run(
            strategy, threads: program.threads.count, wantsForks: wantsForks, patience: Self.patience, body)
        if report.stuck != nil { _ = Unmanaged.passRetained(self) }
        return report
    }

    private func begin() {
        WorkExecutor.preferred.withValue(TaskThreads.shared) {
            for (index, action) in program.setup.enumerated() { perform(action, Self.firstOfSetup + index) }
        }
    }

    private func body(thread: Int) {
        WorkExecutor.preferred.withValue(TaskThreads.shared) { run(thread) }
    }

    private func run(_ thread: Int) {
        for (index, action) in program.threads[thread].enumerated() {
            ControlPoint.mark("between actions")
            let hasPerformed = performDetached()
            // With `splits`, another thread may run between the postponed actions and this one.
            if splits && hasPerformed { ControlPoint.mark("between actions") }
            request(action, thread * 16 + index)
        }
        ControlPoint.mark("between actions")
        performDetached()
        running -= 1
        while running == 0 && !detached.isEmpty { performDetached(all: true) }
        if running == 0 { end() }
    }

    /// When all jobs and timers have run, the last thread pushes once more into each subject, to detect a lost observer
    /// or gate.
    private func end() {
        crx_explore_settle()
        row?.rig.settle()
        for subject in program.usedSubjects {
            perform(.push(subject, 91 + subject), 2000 + subject)
        }
        crx_explore_settle()
        row?.rig.settle()
        for subject in live.indices where live[subject] > 0 {
            outcome[Program.observers + program.stages.count + subject].append(Entry.live + live[subject])
        }
        for index in observers.indices { observers[index].subscription?.dispose() }
        connection?.dispose()
        for subject in hot.indices where hot[subject].hasObservers() {
            outcome[Program.observers + program.stages.count + subject].append(Entry.stays)
        }
    }

    /// Performs an action, or postpones it if it may take effect late.
    private func request(_ action: Program.Action, _ id: Int) {
        let thread = crx_explore_current()
        // A postponed end may already have stopped its subject. Then this action has no effect.
        let end = detached.first { $0.action.subject == action.subject && $0.action.ends }
        if let end, crx_explore_choose(2) == 1 {
            order.dropped[id] = end.id
            return
        }
        let follows = detached.contains {
            $0.thread == thread && action.subject != nil && $0.action.subject == action.subject
        }
        let mayWait = action.subject != nil || action.disposes || isScheduled && action.subscribes
        if mayWait && (follows || (detachable.contains(id) && crx_explore_choose(2) == 1)) {
            detached.append((id, thread, action))
        } else {
            perform(action, id)
        }
    }

    /// Performs some postponed actions. The actions on one subject keep their order, with one exception: an element
    /// that an observer pushes may overtake earlier elements of other threads. The elements may be enqueued at
    /// different gates.
    ///
    /// - Returns: whether an action was performed.
    @discardableResult
    private func performDetached(all: Bool = false) -> Bool {
        var hasPerformed = false
        while !detached.isEmpty {
            let first = detached.indices.filter { index in
                let late = detached[index]
                let overtakes = late.id >= Self.firstOfAnswers && !late.action.ends
                return !detached[..<index].contains { early in
                    early.action.subject == late.action.subject
                        && !(overtakes && early.id < Self.firstOfAnswers && early.thread != late.thread)
                }
            }
            let choice = Int(crx_explore_choose(UInt32(first.count + (all ? 0 : 1))))
            if choice == first.count { break }
            let next = detached.remove(at: first[choice])
            perform(next.action, next.id)
            hasPerformed = true
        }
        return hasPerformed
    }

    private func perform(_ action: Program.Action, _ id: Int) {
        order.performed.append(id)
        if id < Self.firstOfSetup {
            // An observer's action is never the first of a pair, because it is part of another action.
            for first in returned where first < Self.firstOfAnswers {
                let mayOvertake = id >= Self.firstOfAnswers && !action.ends
                precedences.insert(Precedence(first: first, second: id, mayOvertake: mayOvertake))
            }
        }
        note("\(action) begins")
        begin(id, action)
        let before = crx_explore_left()
        let thread = crx_explore_current()
        let answers = leftByAnswers[thread, default: 0]
        switch action {
        case .push(let subject, let value): send(subject, .next(value))
        case .complete(let subject): send(subject, .completed)
        case .fail(let subject): send(subject, .error(Failure()))
        case .subscribe(let index): subscribe(index)
        case .dispose(let index):
            if let subscription = observers[index].subscription {
                subscription.dispose()
                observers[index].isDisposed = true
            } else {
                observers[index].isDisposedWhenSubscribed = observers[index].isSubscribed
            }
        case .connect: connect()
        case .disconnect:
            connection?.dispose()
            if connecting > 0 {
                isDisposedWhenConnected = true
                left.insert(id)
            }
        }
        let count = crx_explore_left() - before
        if let index = underWay.lastIndex(where: { $0.id == id }) { underWay.remove(at: index) }
        if let subject = action.subject {
            let isLeft = count > leftByAnswers[thread, default: 0] - answers
            let overlaps = overlapping.contains(id)
            // A terminal event stops its subject before it is delivered.
            let mayBeLate = action.ends ? isLeft || overlaps : isLeft && (overlaps || program.mayLeave(subject))
            if isScheduled || mayBeLate { left.insert(id) } else { waiting += Int(count) }
        } else if underWay.contains(where: { other in
            // Another thread that runs the scheduler's work may subscribe later.
            other.thread != thread
                && (action.disposes && other.action == action || isScheduled && action.subscribes)
        }) {
            left.insert(id)
        }
        if id < Self.firstOfSetup { returned.append(id) }
        note("\(action) returns\(count > 0 ? ", left to another thread" : "")")
        if (Self.firstOfAnswers..<Self.firstOfSetup).contains(id) { leftByAnswers[thread, default: 0] += count }
    }

    private func send(_ subject: Int, _ event: Event<Int>) {
        if let row { row.send(subject, event) } else { hot[subject].send(event) }
    }

    /// The lowest number of an observer's action. Threads' actions have lower numbers, the setup's higher ones.
    static let firstOfAnswers = 100
    static let firstOfSetup = 1000

    /// For each thread, the number of events that its observers' actions have enqueued for another thread.
    private var leftByAnswers: [Int32: UInt32] = [:]
    private var underWay: [(id: Int, thread: Int32, action: Program.Action)] = []
    /// Pushes that overlapped another thread's push into the same subject, or another thread's subscription. A
    /// subscription may replay elements.
    private var overlapping: Set<Int> = []
    /// For each action, the overlapping actions of other threads that may end a chain.
    private var endsDuring: [Int: Set<Int>] = [:]

    private func begin(_ id: Int, _ action: Program.Action) {
        let thread = crx_explore_current()
        for other in underWay where other.thread != thread {
            if action.disposes { cut.insert(other.id) }
            if other.action.disposes { cut.insert(id) }
            if program.mayCut(action) { endsDuring[other.id, default: []].insert(id) }
            if program.mayCut(other.action) { endsDuring[id, default: []].insert(other.id) }
            let isSubscription = action.subscribes || other.action.subscribes
            if isSubscription || other.action.subject == action.subject { overlapping.formUnion([id, other.id]) }
        }
        underWay.append((id, thread, action))
    }

    private func connect() {
        connecting += 1
        let made = connectable?.connect()
        connecting -= 1
        connection = made
        guard isDisposedWhenConnected else { return }
        isDisposedWhenConnected = false
        made?.dispose()
    }

    private func subscribe(_ index: Int) {
        guard !observers[index].isSubscribed else { return }
        observers[index].isSubscribed = true
        let subscription =
            row?.subscribe { [unowned self] in receive($0, index) }
            ?? pipeline.subscribe { [unowned self] event in
                switch event {
                case .next(let element): receive(element, index)
                case .error: receive(Entry.failed, index)
                case .completed: receive(Entry.completed, index)
                }
            }
        observers[index].subscription = subscription
        if observers[index].isDisposedWhenSubscribed { subscription.dispose() }
    }

    private func receive(_ entry: Int, _ index: Int) {
        let thread = crx_explore_current()
        let inside = observers[index].inside
        if inside.depth > 0 && inside.thread != thread { outcome[index].append(Entry.overlaps) }
        if observers[index].isDisposed {
            observers[index].lateDeliveries += 1
            if observers[index].lateDeliveries > 1 { outcome[index].append(Entry.late) }
        }
        observers[index].inside = (thread, inside.depth + 1)
        observers[index].deliveries += 1
        if let action = underWay.last(where: { $0.thread == thread })?.id {
            observers[index].deliveriesIn[action, default: 0] += 1
        }
        if entry == Entry.failed && program.dropsAtFailure {
            drop(index)
            // A row's closure is its asynchronous work. A waiting element is dropped before that closure is called.
            if row != nil { drop(Program.observers) }
        }
        record(entry, index)
        note("o\(index) receives \(Self.text(entry))")
        ControlPoint.pass("an observer")
        let delivery = observers[index].deliveries
        for (number, answer) in program.answers.enumerated()
        where answer.observer == index && answer.delivery == delivery {
            if splits { ControlPoint.mark("before an answer") }
            request(answer.action, 100 + number)
        }
        ControlPoint.pass("an observer")
        observers[index].inside = inside
    }

    /// The number of events that the observer received in these actions, without the first event of each action.
    func events(in actions: Set<Int>, to observer: Int) -> Int {
        actions.reduce(0) { $0 + max(0, (observers[observer].deliveriesIn[$1] ?? 0) - 1) }
    }

    /// Removes a number of the channel's last entries. The explorer tries each number.
    private func drop(_ channel: Int) {
        outcome[channel].removeLast(Int(crx_explore_choose(UInt32(outcome[channel].count + 1))))
    }

    static func text(_ entry: Int) -> String {
        switch entry {
        case Entry.completed: "|"
        case Entry.failed: "x"
        case Entry.overlaps: "OVERLAPS"
        case Entry.late: "LATE"
        default: RowRun.texts[entry] ?? String(entry)
        }
    }
}
