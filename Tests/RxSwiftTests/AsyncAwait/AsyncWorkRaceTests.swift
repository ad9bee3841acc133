import RxSwift
import TestSupport
import Testing

@Suite(.serialized, .notForever)
struct AsyncWorkRaceTests {
    private static let batches = 5
    private static let batch = 500

    @Test func bodiesOfCreateEndWithTheirSubscription() async {
        await race(whereWorkBegins: true) { round in
            Observable<LifetimeTracker.Tracked>.create { observer in
                let numbers = round.source.values
                try await round.working {
                    for try await number in numbers { observer.onNext(round.element(number)) }
                }
            }
        }
    }

    @Test func tasksOfFlatMapEndWithTheirSubscription() async {
        await race { round in
            round.source.flatMapAsync { number in await round.working { round.element(number) } }
        }
    }

    @Test func tasksOfConcatMapEndWithTheirSubscription() async {
        await race { round in
            round.source.concatMapAsync { number in await round.working { round.element(number) } }
        }
    }

    @Test func tasksOfFlatMapLatestEndWithTheirSubscription() async {
        await race { round in
            round.source.flatMapLatestAsync { number in await round.working { round.element(number) } }
        }
    }

    /// Races three threads for each chain: one pushes elements, one ends the chain, and one disposes of the
    /// subscription.
    ///
    /// - Parameter workBegins: whether the work begins with the subscription. If so, the race waits for its start.
    private func race(whereWorkBegins workBegins: Bool = false, _ chain: (Round) -> Observable<LifetimeTracker.Tracked>)
        async
    {
        for _ in 0..<Self.batches {
            let tracker = LifetimeTracker()
            let rounds = (0..<Self.batch).map { Round(tracker, isKept: $0 % 8 == 0) }
            for round in rounds { round.subscribe(chain(round)) }
            if workBegins { for round in rounds { await until { round.isWorking } } }
            await contest(
                for: rounds,
                { if !$0.isKept { $0.subscription.dispose() } },
                {
                    $0.source.onNext(1)
                    $0.source.onNext(2)
                },
                { $0.source.onCompleted() })
            for round in rounds {
                await until { round.isIdle }
                let marks = round.marks
                #expect(round.faults == 0, "\(marks)")
                #expect(Set(["", "1", "2", "12", "21", "|", "1|", "2|", "12|", "21|"]).contains(marks), "\(marks)")
                if round.isKept { #expect(marks.hasSuffix("|")) }
            }
            await until { tracker.live == 0 }
        }
    }
}

// @unchecked Sendable because each property guards its own state.
private final class Round: @unchecked Sendable {
    let source = PublishSubject<Int>()
    let subscription = SerialDisposable()
    let isKept: Bool
    private let tracker: LifetimeTracker
    private let state = Guarded((working: 0, marks: "", inside: 0, faults: 0, disposals: 0))

    init(_ tracker: LifetimeTracker, isKept: Bool) {
        self.tracker = tracker
        self.isKept = isKept
    }

    var isIdle: Bool { state.withLock { $0.working == 0 && $0.disposals > 0 } }
    var isWorking: Bool { state.withLock { $0.working > 0 } }
    var marks: String { state.withLock { $0.marks } }
    var faults: Int { state.withLock { $0.faults + ($0.disposals > 1 ? 1 : 0) } }

    func element(_ number: Int) -> LifetimeTracker.Tracked { tracker.make(number) }

    func subscribe(_ chain: Observable<LifetimeTracker.Tracked>) {
        subscription.disposable = chain.subscribe(
            onNext: { self.note("\($0.value)") }, onCompleted: { self.note("|") },
            onDisposed: { self.state.withLock { $0.disposals += 1 } })
    }

    func working<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        state.withLock { $0.working += 1 }
        defer { state.withLock { $0.working -= 1 } }
        return try await body()
    }

    private func note(_ mark: String) {
        state.withLock {
            if $0.inside > 0 || $0.marks.hasSuffix("|") { $0.faults += 1 }
            $0.inside += 1
            $0.marks += mark
        }
        state.withLock { $0.inside -= 1 }
    }
}
