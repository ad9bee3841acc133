import CRxCore

/// A program under test. `description` is also its notation, which `init(_:)` reads:
///
///     publish.merge(b) | s0 | a10 a11 a! | b1 || 0.1:a900
///
/// The parts are the pipeline, the actions before the threads start, each thread's actions, and after `||` the
/// observers' actions. `0.1:a900` means: at its first delivery, observer 0 pushes 900 into `a`.
struct Program: CustomStringConvertible, Equatable {
    struct Stage: Equatable {
        var name: String
        var other: Int?
    }

    enum Action: Equatable, CustomStringConvertible {
        case push(Int, Int)
        case complete(Int)
        case fail(Int)
        case subscribe(Int)
        case dispose(Int)
        case connect
        case disconnect

        var subject: Int? {
            switch self {
            case .push(let subject, _), .complete(let subject), .fail(let subject): subject
            default: nil
            }
        }

        var subscribes: Bool { if case .subscribe = self { true } else { false } }
        var disposes: Bool { if case .dispose = self { true } else { false } }

        var ends: Bool {
            switch self {
            case .complete, .fail: true
            default: false
            }
        }

        var description: String {
            switch self {
            case .push(let subject, let value): "\(Program.letters[subject])\(value)"
            case .complete(let subject): "\(Program.letters[subject])!"
            case .fail(let subject): "\(Program.letters[subject])?"
            case .subscribe(let observer): "s\(observer)"
            case .dispose(let observer): "d\(observer)"
            case .connect: "c+"
            case .disconnect: "c-"
            }
        }
    }

    struct Answer: Equatable, CustomStringConvertible {
        var observer: Int
        var delivery: Int
        var action: Action

        var description: String { "\(observer).\(delivery):\(action)" }
    }

    static let letters = ["a", "b", "e", "f", "g", "h", "i", "j"]
    static let subjects = letters.count
    /// The number of subjects of a random program whose pipeline is not a row of the contract table.
    static let fewSubjects = 3
    /// The number of observers: enough that a subject must replace its full list of observers.
    static let observers = Int(CRX_CHUNK_LEAST) + 2
    static let fewObservers = 3

    /// The kind of subject 0, the first stage's source.
    var kind = "publish"
    var stages: [Stage] = []
    var setup: [Action] = []
    var threads: [[Action]] = []
    var answers: [Answer] = []

    var description: String {
        let pipeline =
            ["\(kind)"] + stages.map { $0.name + ($0.other.map { "(\(Self.letters[$0]))" } ?? "") }
        let parts = [pipeline.joined(separator: "."), Self.row(setup)] + threads.map(Self.row)
        let text = parts.joined(separator: " | ")
        return answers.isEmpty ? text : text + " || " + Self.row(answers)
    }

    private static func row(_ items: [some CustomStringConvertible]) -> String {
        items.map(\.description).joined(separator: " ")
    }

    var usedSubjects: [Int] {
        if kind == Self.rowKind { return Array(0..<(RowPipeline.all[stages[0].name]?.sources ?? 0)) }
        let others = stages.compactMap(\.other) + (stages.contains { Operators.named($0.name)!.alternates } ? [2] : [])
        return Set([0] + others).sorted()
    }

    var actions: [Action] { setup + threads.joined() + answers.map(\.action) }

    /// Whether an action or an operator may stop a chain during another thread's delivery.
    var cuts: Bool { endsEarly || actions.contains(where: mayCut) }

    private var endsEarly: Bool { stages.contains { Operators.named($0.name)!.endsEarly } }

    func mayCut(_ action: Action) -> Bool {
        switch action {
        case .dispose, .fail, .complete, .disconnect: true
        case .push: endsEarly
        case .subscribe, .connect: false
        }
    }

    /// Whether a push into `subject` may take effect after the push has returned. Such a push was enqueued at a gate
    /// below the subject's gate.
    ///
    /// A flattening operator calls its selector and subscribes to the inner sequence before the push returns. So the
    /// result is false for subject 0 if a flattening operator has the first gate. But if another source enters the
    /// pipeline below that operator, its events may overtake the push, and the result is true.
    func mayLeave(_ subject: Int) -> Bool {
        guard stages.contains(where: { Operators.named($0.name)!.flattens }) else { return true }
        let gate = stages.firstIndex { Operators.named($0.name)!.isCompound }
        guard subject == 0, let gate else { return true }
        return stages[(gate + 1)...].contains { $0.other != nil }
    }

    func action(_ id: Int) -> Action {
        id < 100 ? threads[id / 16][id % 16] : answers[id - 100].action
    }

    /// Whether an error may drop elements that have not reached the observers.
    var dropsAtFailure: Bool { stages.contains { Operators.named($0.name)!.dropsAtFailure } }

    func disposes(_ observer: Int) -> Bool { actions.contains(.dispose(observer)) }

    /// Whether there are several subscriptions. Each has its own sinks, so two observers may receive different events
    /// at once.
    var hasSeparateChains: Bool {
        Set(actions.compactMap { if case .subscribe(let observer) = $0 { observer } else { nil } })
            .count > 1
    }

    var isSmall: Bool { threads.count == 2 && threads.joined().count <= 4 }

    /// Whether other actions may come in the middle of an action.
    var isCompound: Bool {
        !answers.isEmpty || stages.contains { Operators.named($0.name)!.isCompound }
    }
}

// MARK: Notation

extension Program {
    struct Unreadable: Error { let text: String }

    init(_ text: String) throws {
        func fail(_ text: some StringProtocol) -> Unreadable { Unreadable(text: String(text)) }
        let halves = text.split(separator: "||", omittingEmptySubsequences: false)
        let parts = halves[0].split(separator: "|", omittingEmptySubsequences: false).map {
            $0.split(separator: " ")
        }
        guard parts.count >= 3, parts.count <= 6, parts[0].count == 1, halves.count <= 2 else {
            throw fail(text)
        }
        let names = parts[0][0].split(separator: ".")
        kind = String(names[0])
        guard Operators.kinds.contains(kind) || kind == Self.rowKind else { throw fail(names[0]) }
        stages = try names.dropFirst().map { name in
            let pieces = name.split(whereSeparator: { "()".contains($0) })
            guard let entry = Operators.named(String(pieces[0])) else { throw fail(name) }
            let other = pieces.count > 1 ? Program.letters.firstIndex(of: String(pieces[1])) : nil
            guard entry.needsOther == (other != nil) else { throw fail(name) }
            return Stage(name: String(pieces[0]), other: other)
        }
        // The pipeline is either one row of the contract table or operators of `Operators.table`.
        let rows = stages.count { RowPipeline.all[$0.name] != nil }
        guard kind == Self.rowKind ? stages.count == 1 && rows == 1 : rows == 0 else { throw fail(text) }
        setup = try parts[1].map(Action.init)
        threads = try parts.dropFirst(2).map { try $0.map(Action.init) }
        guard halves.count == 2 else { return }
        answers = try halves[1].split(separator: " ").map { answer in
            let pieces = answer.split(whereSeparator: { ".:".contains($0) })
            guard pieces.count == 3, let observer = Int(pieces[0]), let delivery = Int(pieces[1]),
                0..<Self.observers ~= observer
            else { throw fail(answer) }
            return Answer(observer: observer, delivery: delivery, action: try Action(pieces[2]))
        }
    }
}

extension Program.Action {
    init(_ text: Substring) throws {
        let rest = text.dropFirst()
        let number = Int(rest)
        switch (text.first, number) {
        case ("s", .some(let number)) where 0..<Program.observers ~= number: self = .subscribe(number)
        case ("d", .some(let number)) where 0..<Program.observers ~= number: self = .dispose(number)
        case ("c", nil) where rest == "+": self = .connect
        case ("c", nil) where rest == "-": self = .disconnect
        default:
            guard let subject = text.first.flatMap({ Program.letters.firstIndex(of: String($0)) }) else {
                throw Program.Unreadable(text: String(text))
            }
            switch (rest, number) {
            case (_, .some(let number)): self = .push(subject, number)
            case ("!", nil): self = .complete(subject)
            case ("?", nil): self = .fail(subject)
            default: throw Program.Unreadable(text: String(text))
            }
        }
    }
}

// MARK: Generating

struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

extension Program {
    /// A random program. Most are small (one operator, two threads, few actions), because small programs have few
    /// orders.
    init(seed: UInt64) {
        var random = Random(state: seed)
        if random.oneIn(4) {
            self = .row(RowPipeline.names.randomElement(using: &random)!, &random)
            return
        }
        switch Int.random(in: 0..<32, using: &random) {
        case 0: self = .crowd(&random)
        case 1: self = .queueing(&random)
        case 2...3: self = .subject(&random)
        case 4...6: self = .flattening(&random)
        case 7...9: self = .answering(&random)
        case 10...12: self = .sharing(&random)
        case 13...22: self = .tiny(&random)
        default:
            if random.oneIn(4) { self = .large(&random) } else { self = .small(&random) }
            if random.oneIn(5) { hop(&random) }
        }
        // An observer could subscribe between the replayed elements and the end. The oracle has no order for this case.
        let ends = actions.contains { $0 == .complete(0) || $0 == .fail(0) }
        if kind == "replay" && ends && stages.contains(where: { Operators.named($0.name)!.shares }) { kind = "publish" }
    }

    /// If possible, adds a change of thread as the last operator. The setup must then deliver nothing, because its
    /// thread is not controlled. A program with a disposal or an observer's action is left unchanged, because the
    /// results would depend on the receiving thread's progress.
    private mutating func hop(_ random: inout Random) {
        let name = Operators.hops.randomElement(using: &random)!
        let isEarly = setup.contains { !$0.subscribes && $0 != .connect }
        let disposes = actions.contains {
            switch $0 {
            case .dispose, .disconnect: true
            default: false
            }
        }
        if kind != "publish" || !answers.isEmpty || isEarly || disposes || stages.last?.name == "publish" { return }
        stages.append(Stage(name: name, other: nil))
    }

    var withoutHops: Program {
        var program = self
        for index in stages.indices where Operators.named(stages[index].name)!.hops {
            program.stages[index].name = Operators.named(stages[index].name)!.plain
        }
        return program
    }

    /// A program of one operator, with one to three actions for each thread.
    private static func tiny(_ random: inout Random) -> Program {
        var program = Program()
        program.kind = random.oneIn(4) ? Operators.kinds.randomElement(using: &random)! : "publish"
        let (name, entry) = frequent.randomElement(using: &random)!
        program.stages = [Stage(name: name, other: entry.needsOther ? 1 : nil)]
        let used = program.usedSubjects
        var newcomers = Array(0..<Self.fewObservers)
        let isObserved = !entry.shares || !random.oneIn(3)
        if name == "publish" && random.oneIn(2) { program.setup.append(.connect) }
        if isObserved { program.setup.append(.subscribe(newcomers.removeFirst())) }
        var value = 0
        func push() -> Action {
            value += 1
            return .push(used.randomElement(using: &random)!, value)
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) where isObserved { program.setup.append(push()) }
        let mayDispose = isObserved && (program.kind == "publish" || !entry.shares)
        func action() -> Action {
            let subject = used.randomElement(using: &random)!
            return switch Int.random(in: 0..<10, using: &random) {
            case 0...1 where mayDispose: .dispose(0)
            case 2 where !newcomers.isEmpty && (entry.shares || random.oneIn(3)): .subscribe(newcomers.removeFirst())
            // An operator that subscribes to its sources in turn gets more terminal events.
            case 3...(entry.isSerial ? 7 : 4): random.oneIn(3) ? .fail(subject) : .complete(subject)
            case 5...6 where name == "publish": random.oneIn(3) ? .disconnect : .connect
            default: push()
            }
        }
        let first = isObserved ? [] : [newcomers.removeFirst(), newcomers.removeFirst()]
        for number in 0..<2 {
            var actions = isObserved ? [] : [Action.subscribe(first[number])]
            if isObserved || random.oneIn(3) { actions.append(action()) }
            if random.oneIn(4) { actions.append(action()) }
            program.threads.append(actions)
        }
        return program
    }

    /// The operators to choose from. Those with inner sequences or several sources occur several times, because their
    /// protocols are the most complex.
    private static var frequent: [(name: String, entry: Operators)] {
        Operators.inner.flatMap { name, entry in
            Array(repeating: (name, entry), count: entry.flattens ? 8 : entry.isCompound ? 5 : 1)
        }
    }

    private static func small(_ random: inout Random) -> Program {
        var program = Program()
        program.kind = random.oneIn(3) ? Operators.kinds.randomElement(using: &random)! : "publish"
        let (name, entry) = frequent.randomElement(using: &random)!
        program.stages = [Stage(name: name, other: entry.needsOther ? 1 : nil)]
        let used = program.usedSubjects
        var value = 0
        func push(_ subject: Int) -> Action {
            value += 1
            return .push(subject, value)
        }
        if name == "publish" && !random.oneIn(3) { program.setup.append(.connect) }
        var newcomers = Array(0..<Self.fewObservers)
        if !entry.shares || !random.oneIn(4) { program.setup.append(.subscribe(newcomers.removeFirst())) }
        let isObserved = program.setup.contains { $0.subscribes }
        // Depending on the operator, this element makes an inner sequence, is the latest value or is replayed.
        if random.oneIn(2) { program.setup.append(push(used.randomElement(using: &random)!)) }
        let mayDispose = isObserved && (program.kind == "publish" || !entry.shares)
        for number in 0..<2 {
            // Each thread mostly uses a source of its own.
            let favourite = used[number % used.count]
            var actions: [Action] = []
            for _ in 0..<Int.random(in: 1...(number == 0 ? 3 : 2), using: &random) {
                let action: Action =
                    switch Int.random(in: 0..<16, using: &random) {
                    case 0...1 where !newcomers.isEmpty && (entry.shares || random.oneIn(3)):
                        .subscribe(newcomers.removeFirst())
                    case 2 where mayDispose && isObserved: .dispose(0)
                    case 3...4 where name == "publish": random.oneIn(3) ? .disconnect : .connect
                    case 5...7: push(used.randomElement(using: &random)!)
                    default: push(favourite)
                    }
                actions.append(action)
            }
            if random.oneIn(2) {
                actions[actions.count - 1] = random.oneIn(4) ? .fail(favourite) : .complete(favourite)
            }
            program.threads.append(actions)
        }
        if random.oneIn(2) { program.threads.reverse() }
        let mayAnswer =
            isObserved && (newcomers.count == Self.fewObservers - 1 || !entry.isCompound) && program.hasOrderedAnswers
        if mayAnswer && random.oneIn(2) {
            let subject = used.randomElement(using: &random)!
            let action: Action = random.oneIn(6) ? .complete(subject) : push(subject)
            program.answers.append(
                Answer(observer: 0, delivery: Int.random(in: 1...2, using: &random), action: action))
            // The observer may end both sources.
            if case .complete(let first) = action, let second = used.first(where: { $0 != first }), random.oneIn(2) {
                program.answers.append(
                    Answer(observer: 0, delivery: program.answers[0].delivery, action: .complete(second)))
            }
        }
        return program
    }

    /// A program in which one thread subscribes to a replaying subject while another one pushes.
    private static func subject(_ random: inout Random) -> Program {
        var program = Program()
        program.kind = ["behavior", "replay", "relay"].randomElement(using: &random)!
        var value = 0
        func push() -> Action {
            value += 1
            return .push(0, value)
        }
        if random.oneIn(2) { program.setup.append(push()) }
        var actions: [Action] = [.subscribe(0)]
        if random.oneIn(2) { actions.append(random.oneIn(3) ? .subscribe(1) : push()) }
        program.threads = [actions, [push()]]
        if random.oneIn(2) { program.threads[1].append(random.oneIn(3) ? .complete(0) : push()) }
        if random.oneIn(4) { program.threads.append([push()]) }
        // With several chains, the oracle cannot order an observer's action.
        if random.oneIn(2) && !actions.contains(.subscribe(1)) {
            // An end must not overtake waiting events.
            let action = random.oneIn(2) ? .complete(0) : push()
            let delivery = Int.random(in: 1...2, using: &random)
            program.answers.append(Answer(observer: 0, delivery: delivery, action: action))
        }
        return program
    }

    /// A program in which the list of observers of a subject or of an inner sequence is full or almost full. One thread
    /// adds observers. Another one sends, ends the subject or disposes.
    private static func crowd(_ random: inout Random) -> Program {
        var program = Program()
        var value = 0
        func push(_ subject: Int) -> Action {
            value += 1
            return .push(subject, value)
        }
        let count = Int(CRX_CHUNK_LEAST) - (random.oneIn(3) ? 1 : 0)
        let isInner = random.oneIn(2)
        let subject = isInner ? 1 : 0
        var actions: [Action]
        program.setup = [.subscribe(0)]
        if isInner {
            program.stages = [Stage(name: "flatMap", other: subject)]
            for _ in 0..<count { program.setup.append(push(0)) }
            actions = [push(0)]
        } else {
            program.kind = Operators.kinds.randomElement(using: &random)!
            program.setup += (1..<count).map(Action.subscribe)
            actions = [.subscribe(count)]
        }
        if random.oneIn(3) { actions.append(isInner ? push(0) : .subscribe(count + 1)) }
        program.threads = [actions, [random.oneIn(3) ? .dispose(0) : push(subject)]]
        if random.oneIn(2) { program.threads[1][0] = random.oneIn(4) ? .fail(subject) : .complete(subject) }
        if random.oneIn(3) { program.threads[1].insert(push(subject), at: 0) }
        return program
    }

    /// A program with a flattening operator on hot inner sequences. One thread feeds the inner sequences. Another
    /// thread sends an outer element and then an inner one.
    private static func flattening(_ random: inout Random) -> Program {
        var program = Program()
        let names = Operators.inner.filter { $0.value.flattens }.map(\.key)
        // One inner sequence may be delivering while the operator subscribes to the other.
        let both = random.oneIn(2) ? "flatMapBoth" : "flatMapLatestBoth"
        program.stages = [Stage(name: random.oneIn(3) ? names.randomElement(using: &random)! : both, other: 1)]
        let used = program.usedSubjects
        var value = 0
        func push(outerOneIn count: Int) -> Action {
            value += 1
            return .push(random.oneIn(count) ? 0 : used.dropFirst().randomElement(using: &random)!, value)
        }
        program.setup = [.subscribe(0), push(outerOneIn: 1)]
        if random.oneIn(3) { program.setup.append(push(outerOneIn: 1)) }
        var first = [push(outerOneIn: 1), push(outerOneIn: 4)]
        if random.oneIn(3) { first.insert(push(outerOneIn: 4), at: Int.random(in: 0...2, using: &random)) }
        var second = [push(outerOneIn: 4)]
        if random.oneIn(3) { second.append(push(outerOneIn: 4)) }
        if random.oneIn(3) { second.append(.complete(used.randomElement(using: &random)!)) }
        program.threads = random.oneIn(2) ? [first, second] : [second, first]
        return program
    }

    /// A program with an operator on two sources. Each thread sends mostly into its own source. While the operator
    /// delivers for one thread, the other thread sends, and the observer pushes into a source.
    private static func answering(_ random: inout Random) -> Program {
        var program = Program()
        let all = Operators.inner.filter { $0.value.needsOther && !$0.value.flattens && !$0.value.isSerial }
        // `merge`, `create` and `combine` deliver nearly every element, so they are chosen more often.
        let names = random.oneIn(2) ? all.map(\.key) : ["merge", "create", "combine"]
        program.stages = [Stage(name: names.randomElement(using: &random)!, other: 1)]
        var value = 0
        func push(_ subject: Int) -> Action {
            value += 1
            return .push(subject, value)
        }
        program.setup = [.subscribe(0)]
        if random.oneIn(3) { program.setup.append(push(Int.random(in: 0...1, using: &random))) }
        let busy = Int.random(in: 0...1, using: &random)
        var first = [push(1 - busy)]
        if random.oneIn(3) { first.append(random.oneIn(2) ? .complete(1 - busy) : push(1 - busy)) }
        // Both threads may push into the same source.
        if random.oneIn(3) { first.insert(push(busy), at: 0) }
        var second = [push(busy), push(busy)]
        if random.oneIn(3) { second.append(random.oneIn(2) ? .complete(busy) : push(busy)) }
        program.threads = random.oneIn(2) ? [first, second] : [second, first]
        let delivery = random.oneIn(4) ? 2 : 1
        let subject = random.oneIn(4) ? 1 - busy : busy
        program.answers = [
            Answer(observer: 0, delivery: delivery, action: random.oneIn(4) ? .complete(subject) : push(subject))
        ]
        return program
    }

    /// A program with a shared sequence. An observer joins on one thread. Another thread sends, and ends the source or
    /// disposes of the first observer. Half of these programs map each element to an inner sequence.
    private static func sharing(_ random: inout Random) -> Program {
        var program = Program()
        let names = Operators.inner.filter { $0.value.shares && $0.key != "publish" }.map(\.key)
        program.stages = [Stage(name: names.randomElement(using: &random)!)]
        let flattens = random.oneIn(2)
        if flattens {
            let name = ["flatMap", "flatMapLatest", "concatMap"].randomElement(using: &random)!
            program.stages.insert(Stage(name: name, other: 1), at: 0)
        }
        if !random.oneIn(4) { program.setup.append(.subscribe(0)) }
        let isObserved = !program.setup.isEmpty
        if random.oneIn(2) { program.setup.append(.push(0, 1)) }
        var sending = random.oneIn(2) ? [Action.push(flattens && random.oneIn(2) ? 1 : 0, 2)] : []
        let end: Action = random.oneIn(4) ? .fail(0) : .complete(0)
        sending.append(random.oneIn(4) ? .push(0, 3) : isObserved && random.oneIn(2) ? .dispose(0) : end)
        var joining = [Action.subscribe(1)]
        switch Int.random(in: 0..<6, using: &random) {
        case 0: joining.append(.subscribe(2))
        case 1: joining.append(.push(0, 4))
        case 2 where isObserved && !sending.contains(.dispose(0)): joining.append(.dispose(0))
        case 3...4 where flattens || sending.contains(.dispose(0)): joining.append(.push(0, 4))
        default: break
        }
        program.threads = random.oneIn(2) ? [sending, joining] : [joining, sending]
        return program
    }

    private static func queueing(_ random: inout Random) -> Program {
        var program = Program()
        if random.oneIn(2) { program.stages = [Stage(name: "merge", other: 1)] }
        let used = program.usedSubjects
        let names = ["delay", "delayConcurrent", "delayPausing", "hopPausing"]
        program.stages.append(Stage(name: names.randomElement(using: &random)!))
        program.setup = [.subscribe(0)]
        var value = 0
        for _ in 0..<2 {
            program.threads.append(
                (0..<Int.random(in: 1...2, using: &random)).map { _ in
                    value += 1
                    return .push(used.randomElement(using: &random)!, value)
                })
        }
        if random.oneIn(2) {
            let subject = used.randomElement(using: &random)!
            program.threads[1].append(random.oneIn(3) ? .fail(subject) : .complete(subject))
        }
        return program
    }

    private static func large(_ random: inout Random) -> Program {
        var program = Program()
        program.fill(&random)
        return program
    }

    /// Whether the oracle can predict the results of an observer's actions. It cannot in three cases:
    ///
    /// 1. An operator that subscribes to its sources in turn has no gate. If an observer ends the current source, the
    ///    next one may deliver to that observer on another thread.
    /// 2. `flatMapLatest` disposes of an inner sequence before it subscribes to the next one, as RxSwift does. If an
    ///    observer pushes in between on another thread, neither sequence receives the element.
    /// 3. If an element waits at the gate of `flatMapOne`, all inner sequences have already ended. If an observer
    ///    pushes when it receives this element, no inner sequence receives the push.
    private var hasOrderedAnswers: Bool {
        !stages.contains {
            $0.name.hasPrefix("flatMapLatest") || $0.name == "flatMapOne" || Operators.named($0.name)!.isSerial
        }
    }

    private func isShared(below stage: Stage) -> Bool {
        guard let index = stages.firstIndex(where: { $0.name == stage.name }) else { return false }
        return stages[(index + 1)...].contains { Operators.named($0.name)!.shares }
    }

    /// Whether each subscription has its own gate. If it has, a new observer may miss an event that still waits at
    /// another observer's gate. No order of whole actions has this result.
    private var hasGateForEachObserver: Bool {
        let first = stages.lastIndex { Operators.named($0.name)!.shares }.map { $0 + 1 } ?? 0
        return stages[first...].contains { Operators.named($0.name)!.isCompound }
    }

    private mutating func fill(_ random: inout Random) {
        var newcomers = Array(0..<Self.fewObservers)
        kind = random.oneIn(2) ? "publish" : Operators.kinds.randomElement(using: &random)!
        // Each subject feeds at most one stage, so each push has only one path to the observer.
        var others = Array(1..<Self.fewSubjects).shuffled(using: &random)
        let names = Operators.inner.flatMap { name, entry in
            Array(repeating: name, count: entry.isCompound ? 3 : 1)
        }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let name = names.randomElement(using: &random)!
            let entry = Operators.named(name)!
            if entry.needsOther && others.isEmpty || entry.alternates && others.count < 2 { continue }
            if entry.alternates { others = [1] }
            stages.append(Stage(name: name, other: entry.needsOther ? others.removeLast() : nil))
        }
        // `share` counts an observer before it subscribes the observer to the subject. If the connection ends in
        // between, a replay makes this visible. The oracle has no order for this case.
        let ends = stages.contains { Operators.named($0.name)!.endsEarly }
        if ends && stages.contains(where: { Operators.named($0.name)!.shares }) { kind = "publish" }
        let used = usedSubjects
        let isConnectable = stages.contains { $0.name == "publish" }
        if isConnectable && random.oneIn(2) { setup.append(.connect) }
        if !random.oneIn(4) || stages.allSatisfy({ !Operators.named($0.name)!.shares }) {
            setup.append(.subscribe(newcomers.removeFirst()))
            if random.oneIn(3) { setup.append(.subscribe(newcomers.removeFirst())) }
        }
        // A replay would also make a disposal between those two steps of `share` visible.
        let mayDispose = kind == "publish" || !stages.contains { Operators.named($0.name)!.shares }
        // Disposes only of the setup's subscriptions. Another thread may still be making a later one.
        let disposable = Self.fewObservers - newcomers.count
        // Otherwise an observer could subscribe between the last element of `take` and its end.
        let mayJoin = !stages.contains { Operators.named($0.name)!.endsEarly && isShared(below: $0) }
        var value = 0
        func push(_ random: inout Random) -> Action {
            value += 1
            return .push(used.randomElement(using: &random)!, value)
        }
        if random.oneIn(3) { setup.append(push(&random)) }
        // At most 560 orders: two threads with 4 actions each, or three with 3, 3 and 2.
        for most in random.oneIn(4) ? [3, 3, 2] : [4, 4] {
            threads.append(
                (0..<Int.random(in: 1...most, using: &random)).map { _ in
                    switch Int.random(in: 0..<20, using: &random) {
                    case 0: .complete(used.randomElement(using: &random)!)
                    case 1: .fail(used.randomElement(using: &random)!)
                    case 2...3 where mayJoin && !newcomers.isEmpty: .subscribe(newcomers.removeFirst())
                    case 4 where mayDispose && disposable > 0: .dispose(Int.random(in: 0..<disposable, using: &random))
                    case 5 where isConnectable: .connect
                    case 6 where isConnectable && random.oneIn(2): .disconnect
                    default: push(&random)
                    }
                })
        }
        // With several chains, the oracle cannot order an observer's action.
        let mayAnswer =
            (newcomers.count == Self.fewObservers - 1
                || !stages.contains { Operators.named($0.name)!.isCompound }) && hasOrderedAnswers
        if mayAnswer && random.oneIn(2) {
            let action =
                switch Int.random(in: 0..<8, using: &random) {
                case 0 where mayDispose && disposable > 0: Action.dispose(0)
                case 1: Action.complete(used.randomElement(using: &random)!)
                case 2 where mayJoin && !hasGateForEachObserver && !newcomers.isEmpty:
                    Action.subscribe(newcomers.removeFirst())
                default: push(&random)
                }
            answers.append(
                Answer(observer: 0, delivery: Int.random(in: 1...2, using: &random), action: action))
        }
    }

    /// Variants of this program, each with one part removed or simplified.
    var smaller: [Program] {
        var all: [Program] = []
        func without(_ change: (inout Program) -> Void) {
            var copy = self
            change(&copy)
            if copy != self { all.append(copy) }
        }
        for index in threads.indices where threads.count > 2 {
            without { $0.threads.remove(at: index) }
        }
        for index in answers.indices { without { $0.answers.remove(at: index) } }
        for index in stages.indices where kind != Self.rowKind { without { $0.stages.remove(at: index) } }
        for index in threads.indices {
            for action in threads[index].indices where threads[index].count > 1 {
                without { $0.threads[index].remove(at: action) }
            }
            if let first = threads[index].first, threads[index].count > 1 {
                without {
                    $0.threads[index].removeFirst()
                    $0.setup.append(first)
                }
            }
        }
        for index in setup.indices { without { $0.setup.remove(at: index) } }
        if kind != Self.rowKind { without { $0.kind = "publish" } }
        return all
    }
}
