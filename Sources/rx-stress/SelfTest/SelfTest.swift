import Glibc
import RxSwift
import Synchronization

/// Runs every check on a simple implementation with a deliberate fault. The fault is caught if only the intended check
/// reports it.
enum SelfTest {
    private struct Trial {
        let fault: String
        let meant: Check?
        let run: @Sendable (Violations) -> Void

        init(_ fault: String, _ meant: Check?, _ run: @escaping @Sendable (Violations) -> Void) {
            self.fault = fault
            self.meant = meant
            self.run = run
        }
    }

    static func run() -> Bool {
        let team = Team(threads: 2)
        let trials = trials(team)
        let width = trials.map(\.fault.count).max() ?? 0
        var failures = 0
        for trial in trials {
            let violations = Violations()
            trial.run(violations)
            let caught = Set(violations.kept.map(\.check))
            let right = caught == (trial.meant.map { [$0] } ?? [])
            if !right { failures += 1 }
            let by = caught.isEmpty ? "by none" : "by " + caught.map(\.rawValue).sorted().joined(separator: ", ")
            let wanted = right ? "" : ", wanted \(trial.meant?.rawValue ?? "none")"
            let padding = String(repeating: " ", count: width - trial.fault.count)
            print("\(right ? "ok    " : "FAILED") \(trial.fault)\(padding)  caught \(by)\(wanted)")
        }
        print(
            failures == 0
                ? "self-test passed: each fault is caught by its check"
                : "self-test FAILED: \(failures) of \(trials.count)")
        return failures == 0
    }

    private static func trials(_ team: Team) -> [Trial] {
        [
            Trial("an observer list without a fault", nil) { hammer(.none, team, $0) },
            Trial("the same under two threads", nil) { hammerTogether(team, $0) },
            Trial("one without a gate", .serial) { overlap(team, $0) },
            Trial("one that loses", .count) { hammer(.loses, team, $0) },
            Trial("one that repeats", .count) { hammer(.repeats, team, $0) },
            Trial("one that loses two and repeats two of the same sum", .count) { balance($0) },
            Trial("one out of order", .order) { hammer(.swaps, team, $0) },
            Trial("one that keeps elements", .leak) { hammer(.keepsElements, team, $0) },
            Trial("one that delivers after dispose", .silence) { disposeOnThisThread($0) },
            Trial("one that delivers after dispose elsewhere", .silence) { disposeElsewhere(team, $0) },
            Trial("one that delivers after the end", .grammar) { end(.deliversAfterEnd, $0) },
            Trial("one that ends twice", .grammar) { end(.endsTwice, $0) },
            Trial("one that disposes twice", .grammar) { end(.disposesTwice, $0) },
            Trial("one that never disposes", .grammar) {
                Probe(producers: 1, label: "observer", violations: $0).finish()
            },
            Trial("a timeout as it should be", nil) { timeout(fires: [5], $0) },
            Trial("a timeout that comes early", .outcome) { timeout(fires: [4], $0) },
            Trial("a timeout that comes twice", .count) { timeout(fires: [5, 6], $0) },
            Trial("a timeout that never comes", .count) { timeout(fires: [], $0) },
            Trial("a timeout that comes though cancelled", .silence) { timeout(fires: [5], cancelled: true, $0) },
            Trial("permits as they should be", nil) { permits(.none, $0) },
            Trial("a permit that is lost with a disposal", .count) { permits(.keepsWhatIsDisposedOf, $0) },
            Trial("a permit that comes back twice", .count) { permits(.givesBackTwice, $0) },
            Trial("one call more than there are permits", .bound) { permits(.letsOneMoreIn, $0) },
            Trial("a queue without a bound", .bound) { pileUp($0) },
            Trial("a bounded pipeline", nil) { flow(team, $0) { $0.bounded($1) } },
            Trial("one that forgets its bound", .bound) { flow(team, $0) { source, _ in source } },
            Trial("one that is never resumed", .stall) {
                flow(team, $0, patience: 0.1) { $0.bounded($1).take(10).concat(Observable<Item>.never()) }
            },
            Trial("one whose resume loses an element", .count) {
                flow(team, $0) { $0.bounded($1).filter { $0.number != 9 } }
            },
            Trial("random graphs", nil) { graphs(.none, team, $0) },
            Trial("a graph whose ends have no gate", .serial) { graphs(.noGate, team, $0) },
            Trial("a graph that delivers after its end", .grammar) { graphs(.deliversAfterEnd, team, $0) },
            Trial("a graph that disposes of nothing", .silence) { graphs(.deliversAfterDispose, team, $0) },
            Trial("a graph that keeps elements", .leak) { graphs(.keepsElements, team, $0) },
            Trial("a subject that is never freed", .leak) { leakResource($0) },
            Trial("memory that grows", .memory) { growMemory($0) },
            Trial("descriptors that stay open", .descriptors) { leakDescriptors($0) },
            Trial("threads that wait for each other", .stall) { deadlock(team, $0) },
            Trial("a condition that never comes about", .stall) {
                round(team, $0).settle("a condition that never holds", seconds: 0.05) { false }
            },
            Trial("a result that is not the expected one", .outcome) {
                round(team, $0).expect(1 + 1 == 3, "1 + 1 is not 3")
            },
        ]
    }

    // MARK: Lists

    private static func hammer(_ fault: ObserverList.Fault, _ team: Team, _ violations: Violations) {
        let events = 1 + 7 * 30  // so that each swapped element has a successor
        let lifetimes = Lifetimes()
        let list = ObserverList(fault)
        let probe = Probe(producers: 1, label: "observer", violations: violations)
        list.subscribe(probe)
        for number in 0..<events { list.emit(Item(0, number, life: lifetimes.make())) }
        list.dispose(probe)
        probe.grammar.finish()
        probe.count.expect(0..<events, of: 0)
        withExtendedLifetime(list) {
            LeakCheck(lifetimes: lifetimes, resources: .max, violations: violations, patience: 0).finish()
        }
    }

    private static func balance(_ violations: Violations) {
        let count = CountCheck(producers: 1, "observer", violations)
        for number in [1, 1, 4, 4] { count.next(Item(0, number)) }
        count.expect(1..<5, of: 0)
    }

    private static func hammerTogether(_ team: Team, _ violations: Violations) {
        let events = 1_000
        let list = ObserverList(.none)
        let probe = Probe(producers: team.size, label: "observer", violations: violations)
        list.subscribe(probe)
        team.run { worker in
            for number in 0..<events { list.emit(Item(worker.index, number)) }
        }
        list.end()
        list.dispose(probe)
        probe.finish()
        for producer in 0..<team.size { probe.count.expect(0..<events, of: producer) }
    }

    /// Each thread stays inside the observer until another thread is inside, so that calls overlap in every run.
    private static func overlap(_ team: Team, _ violations: Violations) {
        let list = ObserverList(.noGate)
        let probe = Probe(producers: team.size, label: "observer", violations: violations)
        let visitors = Visitors()
        list.subscribe(probe) { _ in visitors.meet(2, seconds: 5) }
        team.run { list.emit(Item($0.index, 0)) }
        list.dispose(probe)
        probe.finish()
    }

    private static func disposeOnThisThread(_ violations: Violations) {
        let list = ObserverList(.deliversAfterDispose)
        let probe = Probe(producers: 1, label: "observer", violations: violations)
        list.subscribe(probe)
        list.emit(Item(0, 0))
        list.dispose(probe)
        list.emit(Item(0, 1))
        probe.finish()
    }

    private static func disposeElsewhere(_ team: Team, _ violations: Violations) {
        let list = ObserverList(.deliversAfterDispose)
        let probe = Probe(producers: 1, label: "observer", violations: violations)
        list.subscribe(probe)
        team.run { worker in
            if worker.index == 0 { list.dispose(probe) }
        }
        // One delivery is permitted after a disposal on another thread.
        for number in 0..<2 { list.emit(Item(0, number)) }
        probe.finish()
    }

    private static func end(_ fault: ObserverList.Fault, _ violations: Violations) {
        let list = ObserverList(fault)
        let probe = Probe(producers: 1, label: "observer", violations: violations)
        list.subscribe(probe)
        list.emit(Item(0, 0))
        list.end()
        list.dispose(probe)
        probe.finish()
    }

    // MARK: Timeouts

    private static func timeout(fires moments: [UInt64], cancelled: Bool = false, _ violations: Violations) {
        let check = TimeoutCheck("timeout", violations)
        check.start(due: 5)
        if cancelled { check.cancelled() }
        for moment in moments { check.fire(at: moment) }
        check.finish()
    }

    // MARK: Permits

    private static func permits(_ fault: PermitList.Fault, _ violations: Violations) {
        let check = PermitCheck(limit: 3, "permits", violations)
        let list = PermitList(fault, limit: 3, check)
        let calls = (0..<4).compactMap { _ in list.call() }
        for (index, call) in calls.enumerated() { list.end(call, isDisposed: index == 0) }
        check.finish(available: list.available.load(ordering: .acquiring))
    }

    // MARK: Flow control

    private static func flow(
        _ team: Team, _ violations: Violations, patience: Double = 30,
        _ bounded: (Observable<Item>, Int) -> Observable<Item>
    ) {
        let pipeline = FlowPipeline(
            FlowShape.linear[0], events: 2_000, bound: 8, pace: 1_000, round(team, violations), [Schedulers()],
            bounded: bounded)
        team.run { worker in
            if worker.index == 0 { pipeline.run(worker, patience: patience) }
        }
    }

    // MARK: Graphs

    private static func graphs(_ fault: ObserverList.Fault, _ team: Team, _ violations: Violations) {
        let lifetimes = Lifetimes()
        let kept = Locked<[Item]>([])
        let lasting = CompositeDisposable()
        let round = Round(
            team: team, threads: team.size, violations: violations, lifetimes: lifetimes, random: SplitMix64(seed: 1))
        RandomGraphs.run(round, Schedulers()) { probe, graph, node in
            let source = graph.nodes[node].source
            switch fault {
            case .noGate:
                let visitors = Visitors()
                nonisolated(unsafe) let each = graph.roots.map {
                    $0.subscribe { _ in probe.touch { visitors.meet(2, seconds: 0.1) } }
                }
                return Disposables.create {
                    each.forEach { $0.dispose() }
                    probe.grammar.onDisposed()
                }
            case .deliversAfterEnd:
                return graph.roots[0].subscribe(
                    onError: { _ in },
                    onCompleted: {
                        probe.end()
                        probe.touch {}
                    }, onDisposed: { probe.grammar.onDisposed() })
            case .deliversAfterDispose:
                _ = lasting.insert(graph.roots[0].subscribe { _ in probe.touch {} })
                return Disposables.create { probe.grammar.onDisposed() }
            case .keepsElements:
                return probe.watch(
                    graph.roots[0].asObservable(), each: { item in probe.touch { kept.withLock { $0.append(item) } } })
            default: return probe.watch(source, each: { _ in probe.touch {} })
            }
        }
        lasting.dispose()
        withExtendedLifetime(kept) {
            LeakCheck(
                lifetimes: lifetimes, resources: .max, violations: violations, patience: fault == .keepsElements ? 0 : 5
            ).finish()
        }
    }

    // MARK: Resources

    private static func pileUp(_ violations: Violations) {
        let bound = BoundCheck(violations)
        for _ in 0..<BoundCheck.enough { bound.push() }
        for _ in 0..<BoundCheck.enough { bound.delivery() }
        bound.finish()
    }

    private static func leakResource(_ violations: Violations) {
        Resources.isTracing = true
        let before = LeakCheck.settledResources(Lifetimes())
        let subject = LeakCheck.makeResource()
        withExtendedLifetime(subject) {
            LeakCheck(lifetimes: Lifetimes(), resources: before, violations: violations, patience: 0).finish()
        }
    }

    private static func growMemory(_ violations: Violations) {
        var blocks: [UnsafeMutableRawPointer] = []
        var flatness = FlatnessCheck(violations, sanitized: false)
        for _ in 0..<24 {
            let block = UnsafeMutableRawPointer.allocate(byteCount: 4 << 20, alignment: 4096)
            memset(block, 1, 4 << 20)  // only touched pages are resident
            blocks.append(block)
            flatness.rest(bytes: ProcessFacts.residentBytes(), descriptors: 0)
        }
        flatness.finish()
        for block in blocks { block.deallocate() }
    }

    private static func leakDescriptors(_ violations: Violations) {
        var flatness = FlatnessCheck(violations, sanitized: false)
        var open: [Int32] = []
        for _ in 0..<12 {
            flatness.rest(bytes: 0, descriptors: ProcessFacts.openDescriptors())
            open.append(Glibc.open("/dev/null", O_RDONLY))
        }
        for descriptor in open { close(descriptor) }
    }

    private static func deadlock(_ team: Team, _ violations: Violations) {
        let verdict = Visitors()
        Thread.start {
            var stall = StallCheck(seconds: 0.2)
            while !stall.hasStalled(at: team.totals) { usleep(10_000) }
            violations.record(.stall, "no progress")
            verdict.meet(1, seconds: 0)
            while true { pause() }
        }
        team.run { _ in verdict.wait(for: 1, seconds: 5) }
    }

    private static func round(_ team: Team, _ violations: Violations) -> Round {
        Round(
            team: team, threads: team.size, violations: violations, lifetimes: Lifetimes(), random: SplitMix64(seed: 1))
    }
}

final class Visitors: Sendable {
    private let count = Atomic<Int>(0)

    func meet(_ wanted: Int, seconds: Double) {
        count.add(1, ordering: .relaxed)
        wait(for: wanted, seconds: seconds)
    }

    func wait(for wanted: Int, seconds: Double) {
        let start = Clock.now()
        while count.load(ordering: .relaxed) < wanted && Clock.seconds(since: start) < seconds { sched_yield() }
    }
}
