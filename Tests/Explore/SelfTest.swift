@testable import ContractTable
import CRxCore
import CRxExplorer
import Glibc
import RxRelay
@_spi(RxServer) import RxSwift
import RxTest

/// The explorer must find, replay and minimise each deliberate fault.
func selfTest() -> Bool {
    var failed = 0
    var tried = 0
    func expect(_ what: String, _ isRight: Bool) {
        tried += 1
        if !isRight {
            failed += 1
            print("FAILED: \(what)")
        }
    }
    crx_explore_use_one_processor()

    // Two threads increment a word by a load and a store.
    func increments(_ strategy: Schedule.Strategy) -> (sum: UInt, report: Schedule.Report) {
        let word = UnsafeMutablePointer<crx_flag>.allocate(capacity: 1)
        word.initialize(to: crx_flag())
        defer { word.deallocate() }
        let report = Schedule.run(strategy, threads: 2, wantsForks: true) { _ in
            for _ in 0..<2 { crx_flag_store_release(word, crx_flag_load_relaxed(word) + 1) }
        }
        return (crx_flag_load_relaxed(word), report)
    }
    let walks = (1...200).map { increments(.random(seed: $0, spread: 4)) }
    expect("a random walk finds a lost update", walks.contains { $0.sum < 4 })
    expect("a random walk finds the right sum as well", walks.contains { $0.sum == 4 })
    expect(
        "PCT finds a lost update",
        (1...200).contains { increments(.pct(seed: $0, depth: 2, expected: 10)).sum < 4 })
    expect("without preemptions, no update is lost", increments(.switches([])).sum == 4)
    let lost = walks.first { $0.sum < 4 }
    if let lost {
        let name = Schedule.Strategy.switches(lost.report.switches).name
        let again = Schedule.Strategy(name).map(increments)
        expect(
            "a name replays the run", again?.sum == lost.sum && again?.report.trace == lost.report.trace)
    }
    let forks = increments(.switches([])).report.forks
    let sums = forks.flatMap { fork in
        (0..<2).map { increments(.switches([crx_explore_switch(step: fork.step, thread: $0)])).sum }
    }
    expect("one preemption at each step finds a lost update", sums.contains { $0 < 4 })

    // Runs that do not end: two threads acquire two locks in opposite orders, and a thread loops forever.
    let locks = UnsafeMutablePointer<crx_lock>.allocate(capacity: 2)
    func deadlocks(_ seed: UInt64) -> String? {
        locks.initialize(repeating: crx_lock(), count: 2)
        let report = Schedule.run(.random(seed: seed, spread: 2), threads: 2) { thread in
            crx_lock_acquire(locks + thread)
            crx_lock_acquire(locks + (1 - thread))
            crx_lock_release(locks)
            crx_lock_release(locks + 1)
        }
        return report.stuck
    }
    let stuck = (1...100).lazy.compactMap(deadlocks).first
    expect(
        "a deadlock is found, with the places of its threads",
        stuck?.contains("deadlock; thread 0 in crx_lock") == true
    )
    let endless = Schedule.run(.switches([]), threads: 2) { _ in
        while true { ControlPoint.pass("a loop") }
    }
    expect("a run without end is stopped", endless.stuck?.hasPrefix("no end") == true)
    expect("the next run has threads of its own", increments(.switches([])).sum == 4)
    // A wait without a time limit lasts until its signal, although another thread's wait has a limit.
    let words = UnsafeMutablePointer<UInt32>.allocate(capacity: 2)
    words.initialize(repeating: 0, count: 2)
    let unlimited = Schedule.run(.switches([]), threads: 2) { thread in
        if thread == 0 {
            _ = crx_explore_semaphore_wait(words, .max)
        } else {
            _ = crx_explore_semaphore_wait(words + 1, 1_000_000)
            crx_explore_semaphore_signal(words)
        }
    }
    expect("a wait without a limit ends by its signal: \(unlimited.stuck ?? "")", unlimited.stuck == nil)
    // A thread waits for an event that the explorer does not control.
    World.patience = 100
    var explorerOfWaits = Explorer()
    if let program = try? Program("publish.badWait | s0 | a1 a2 | a3"),
        let failure = explorerOfWaits.explore(program, seed: 1, schedules: 10)
    {
        expect("a wait that is not controlled is reported: \(failure.why)", failure.why.contains("no control point"))
        expect("no run is active after it", !crx_explore_is_active())
        let runs = explorerOfWaits.schedules
        let smallest = explorerOfWaits.minimised(failure, effort: 10)
        expect("it is not minimised", explorerOfWaits.schedules == runs && smallest.program == program)
        expect("its timeline ends", explorerOfWaits.timeline(smallest).contains("a1 begins"))
    } else {
        expect("a wait that is not controlled is found", false)
    }
    World.patience = 10_000

    let orders = (1...200 as ClosedRange<UInt64>).map { seed -> Int in
        let relay = BehaviorRelay(value: 0)
        _ = Schedule.run(.random(seed: seed, spread: 4), threads: 2) { _ in
            relay.accept(relay.value + 1)
        }
        return relay.value
    }
    expect("a check-then-act on a relay is found", orders.contains(1) && orders.contains(2))

    // The oracle must find the fault of each operator.
    for (text, what) in [
        ("publish.badMerge(b) | s0 | a1 a2 a3 | b4 b5", "a merge that counts without a lock"),
        ("publish.badLatest(b) | s0 | a1 a2 | b3 a4", "a latest value that is read too early"),
        ("publish.badShare |  | s0 | s1 a1", "a shared sequence that connects twice"),
        ("publish.badReplay |  | a1 a2 | s0", "a replay that loses an element"),
    ] {
        var explorer = Explorer()
        guard let program = try? Program(text),
            let failure = explorer.explore(program, seed: 1, schedules: 1000)
        else {
            expect(what, false)
            continue
        }
        let smallest = explorer.minimised(failure, effort: 300)
        expect("\(what), not under control: \(failure.why)", !failure.why.contains("control"))
        expect(
            "\(what) replays",
            explorer.failure(smallest.program, smallest.schedule, Oracle(smallest.program)).failure != nil
        )
        expect("\(what) has become smaller", smallest.program.actions.count <= program.actions.count)
        var thorough = Explorer()
        expect(
            "\(what), by every schedule with two preemptions", thorough.exhaust(smallest.program) != nil)
    }
    // The library's schedulers and timers must have no failure.
    for text in [
        "publish.hop | s0 | a1 a2 | a3 a!", "publish.hopConcurrent | s0 | a1 a2 | a3",
        "publish.delay | s0 | a1 a2 | a3 a!", "publish.delay | s0 | a1 a2 | a3 a?",
        "publish.hopThread | s0 | a1 a2 | a3 a!", "publish.hopPool | s0 | a1 a2 | a3 a!",
        "publish.hopActor | s0 | a1 a2 | a3 a!", "publish.hopWork | s0 | a1 a2 | a3 a!",
        "publish.hopValues | s0 | a1 a2 | a3 a?", "publish.hopPausing | s0 | a1 a2 | a3 a!",
        "publish.delayPausing | s0 | a1 | a2 a!", "publish.merge(b).hop | s0 | a1 a2 | b3 b!",
    ] {
        var explorer = Explorer()
        let failure = (try? Program(text)).flatMap { explorer.explore($0, seed: 1, schedules: 500) }
        expect("'\(text)' has no failure: \(failure?.why ?? "")", failure == nil && explorer.schedules >= 500)
    }
    var explorerOfHops = Explorer()
    let outOfOrder = (try? Program("publish.badHop | s0 | a1 a2 | a3")).flatMap {
        explorerOfHops.explore($0, seed: 1, schedules: 1000)
    }
    expect("a hop that loses the order is found", outOfOrder != nil)
    // Each replay of a failure must take the same steps, even after this process has run other programs.
    var found = 0
    for seed in 1...10 as ClosedRange<UInt64> {
        var explorer = Explorer()
        guard let program = try? Program("publish.badHop | s0 | a1 a2 | a3"),
            let failure = explorer.explore(program, seed: seed << 32, schedules: 1000)
        else { continue }
        found += 1
        let smallest = explorer.minimised(failure, effort: 100)
        let oracle = Oracle(smallest.program)
        var traces: Set<UInt64> = []
        for _ in 0..<20 {
            let again = explorer.failure(smallest.program, smallest.schedule, oracle)
            if again.failure == nil { traces.insert(0) }
            traces.insert(again.report.trace)
        }
        expect("the hop replays: \(failure.why)", traces.count == 1 && !failure.why.contains("control"))
    }
    expect("at least 5 of 10 seeds find the fault of the hop: \(found)", found >= 5)
    // A scheduler that cannot be controlled is refused at once.
    for (name, words) in [
        ("mainQueue", "does not control the main queue"),
        ("plainActor", "does not control the threads of Swift's pool, on which jobs of an actor"),
        ("plainWork", "does not control the threads of Swift's pool, on which asynchronous work"),
    ] {
        let output = output("--program", "publish.\(name) | s0 | a1 | a2")
        expect("'\(name)' is refused: \(output)", output.contains(words))
    }
    for name in ["badTrap", "badStack"] {
        let program = "publish.\(name) | s0 | a1"
        let output = output("--program", program)
        let words = "FAILED: crashed\n  replay: scripts/explore.sh --program '\(program)' --schedule switches:\n"
        expect("'\(name)' is reported: \(output)", output.contains(words))
    }
    // This result depends on more than the schedule.
    var calls = 0
    Operators.uncontrolled = {
        calls += 1
        return calls
    }
    var explorer = Explorer()
    let wild = (try? Program("publish.badRandom | s0 | a1 | a2")).flatMap {
        explorer.explore($0, seed: 1, schedules: 50)
    }
    expect(
        "a result that is not under control is reported",
        wild?.why.contains("not under control") == true)

    // Each row must be explored without a failure, or listed with a reason.
    for name in RowPipeline.exempt.keys {
        expect("'\(name)', which takes no part, is a row", Table.rows.contains { $0.testDescription == name })
    }
    for row in Table.rows where RowPipeline.reason(against: row) == nil {
        let name = RowPipeline.name(row)
        if RowPipeline.withoutSources.contains(name) { continue }
        guard RowPipeline.all[name]?.row.testDescription == row.testDescription else {
            expect("the row '\(row.testDescription)' takes part, or is listed with a reason", false)
            continue
        }
        var random = Random(state: 1)
        var explorer = Explorer()
        for _ in 0..<4 {
            let program = Program.row(name, &random)
            let failure = explorer.explore(program, seed: 1, schedules: 40)
            expect("'\(program)' has no failure: \(failure?.why ?? "")", failure == nil)
        }
        expect("the row '\(name)' is compared", explorer.tooLarge < 4)
    }

    print(
        "\(RowPipeline.all.count) of \(Table.rows.count) rows take part; \(RowPipeline.withoutSources.count) have no "
            + "source, \(RowPipeline.exempt.count) are exempt")
    for seed in 1...5000 as ClosedRange<UInt64> {
        let program = Program(seed: seed)
        expect("the notation of '\(program)'", (try? Program(program.description)) == program)
    }
    print("\(tried - failed) of \(tried) trials passed")
    return failed == 0
}

private actor PlainActor {}

@inline(never) private func overflow(_ depth: Int) -> Int {
    if depth == 0 { return 0 }
    return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 16) { buffer in
        memset(buffer.baseAddress!, 1, buffer.count)
        return overflow(depth - 1) + Int(buffer[depth % buffer.count])
    }
}

private func output(_ arguments: String...) -> String {
    let words = ([CommandLine.arguments[0]] + arguments).map { "'\($0)'" }
    guard let pipe = popen("SWIFT_BACKTRACE=enable=no " + words.joined(separator: " ") + " 2>&1", "r") else {
        return ""
    }
    defer { pclose(pipe) }
    var text = ""
    var line = [CChar](repeating: 0, count: 1024)
    while fgets(&line, 1024, pipe) != nil {
        text += String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    return text
}

extension Operators {
    nonisolated(unsafe) static var uncontrolled: () -> Int = { 0 }

    nonisolated(unsafe) static let faulty: [String: Operators] = [
        "badMerge": Operators(needsOther: true, isCompound: true) { source, other, _ in
            nonisolated(unsafe) let flag = UnsafeMutablePointer<crx_flag>.allocate(capacity: 1)  // atomic
            flag.initialize(to: crx_flag())
            @Sendable func numbered(_ element: Int) -> Int {
                let number = crx_flag_load_relaxed(flag)
                crx_flag_store_release(flag, number + 1)
                return element * 100 + Int(number)
            }
            return Observable.merge(source.map(numbered), other.map(numbered))
        },
        "badLatest": Operators(needsOther: true, isCompound: true) { source, other, _ in
            let latest = BehaviorRelay(value: 0)
            return Observable.merge(
                other.do(onNext: { latest.accept($0) }).filter { _ in false },
                source.map { element in
                    let value = latest.value
                    ControlPoint.pass("a fault")
                    return element * 1000 + value * 10 + latest.value
                })
        },
        "badShare": Operators(isCompound: true, shares: true) { source, _, _ in
            let subject = PublishSubject<Int>()
            nonisolated(unsafe) let flag = UnsafeMutablePointer<crx_flag>.allocate(capacity: 1)  // atomic
            flag.initialize(to: crx_flag())
            return .deferred {
                if crx_flag_load_acquire(flag) == 0 {
                    _ = source.subscribe(subject)
                    crx_flag_store_release(flag, 1)
                }
                return subject
            }
        },
        "badReplay": Operators(isCompound: true, shares: true) { source, _, _ in
            let latest = BehaviorRelay(value: 0)
            _ = source.subscribe(onNext: { latest.accept($0) })
            return .deferred {
                let first = latest.value
                ControlPoint.pass("a fault")
                return latest.skip(1).startWith(first)
            }
        },
        "badHop": Operators(hops: true) { source, _, _ in
            source.flatMap { Observable.just($0, scheduler: ConcurrentDispatchQueueScheduler(qos: .default)) }
        },
        "badWait": Operators { source, _, _ in
            source.map { element in
                pause()
                return element
            }
        },
        "badTrap": Operators { source, _, _ in
            source.map { element in
                raise(SIGTRAP)
                return element
            }
        },
        "badStack": Operators { source, _, _ in source.map { _ in overflow(.max) } },
        "mainQueue": Operators(hops: true) { source, _, _ in source.observe(on: MainScheduler.asyncInstance) },
        "plainActor": Operators(hops: true) { source, _, _ in
            let actor = PlainActor()
            return source.observe(on: ActorScheduler(actor)).do(onDispose: { _ = actor })
        },
        "plainWork": Operators(hops: true) { source, _, _ in
            Observable.create { observer in
                source.subscribe { event in
                    let one = Observable.of(event).dematerialize().concatMapAsync { element -> Int in element }
                    _ = WorkExecutor.preferred.withValue(nil) { one.subscribe(observer) }
                }
            }
        },
        "same": Operators { source, _, _ in source },
        "sameUntilError": Operators(dropsAtFailure: true) { source, _, _ in source },
        "bursts": Operators(isCompound: true, dropsAtFailure: true) { source, _, _ in source.concatMap(burst) },
        "badRandom": Operators { source, _, _ in source.map { $0 * 100 + uncontrolled() } },
    ]

    static func named(_ name: String) -> Operators? {
        table[name] ?? faulty[name] ?? RowPipeline.all[name]?.operators
    }
}
