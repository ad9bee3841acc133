import CRxCore
import TestSupport
import Testing

@testable import RxSwift

struct SinkDisposerTests {
    private let log = Log()

    private func teardown(_ name: String) -> any Disposable {
        Disposables.create { [log] in log(name) }
    }

    /// A chain that logs its end as `told`.
    private func disposer() -> SinkDisposer {
        TellingDisposer { [log] in log("told") }
    }

    @Test func disposalRunsSourceThenTeardownsThenOnDisposed() {
        let disposer = disposer()
        disposer.adopt(teardown("first"))
        disposer.feed(from: Source("source", log))
        disposer.adopt(teardown("second"))
        disposer.dispose()
        #expect(log.text == "source first second told")
    }

    @Test func adoptedChainIsDisposedInSameOrder() {
        let (outer, inner) = (disposer(), disposer())
        inner.feed(from: Source("source", log))
        inner.adopt(teardown("first"))
        inner.adopt(Disposables.create(teardown("second"), teardown("third")))
        outer.adopt(inner)
        outer.adopt(teardown("last"))
        outer.dispose()
        #expect(log.text == "source first second third told last told")
        #expect(inner.isDisposed)
        inner.dispose()
        #expect(log.text == "source first second third told last told")
    }

    @Test(arguments: [false, true]) func adoptedChainCallsOnDisposedOnce(isDisposedFirst: Bool) {
        let (outer, inner) = (disposer(), disposer())
        inner.adopt(teardown("torn"))
        outer.adopt(inner)
        if isDisposedFirst { inner.dispose() } else { inner.tellDisposed() }
        outer.dispose()
        #expect(log.text == (isDisposedFirst ? "torn told told" : "told torn told"))
    }

    @Test func disposesOnce() {
        let disposer = disposer()
        disposer.feed(from: Source("source", log))
        disposer.adopt(teardown("torn"))
        disposer.dispose()
        disposer.dispose()
        #expect(log.text == "source torn told")
        #expect(disposer.isDisposed)
    }

    @Test func sourceFedAfterDisposalIsDisposed() {
        let disposer = disposer()
        disposer.dispose()
        disposer.feed(from: Source("source", log))
        #expect(log.text == "told source")
    }

    @Test func teardownAdoptedAfterDisposalRuns() {
        let disposer = disposer()
        disposer.dispose()
        disposer.adopt(teardown("torn"))
        disposer.adopt(teardown("torn too"))
        #expect(log.text == "told torn torn too")
    }

    @Test(arguments: [false, true])
    func disposalFreesSourceAndTeardowns(afterAHalt: Bool) {
        let tracker = LifetimeTracker()
        let disposer = SinkDisposer()
        disposer.feed(from: Source("source", log, tracker.make()))
        let held = tracker.make()
        disposer.adopt(Disposables.create { [held] in _ = held })
        if afterAHalt { disposer.halt() }
        disposer.dispose()
        withExtendedLifetime((disposer, held)) { #expect(tracker.live == 1) }
    }

    @Test func tellDisposedBeforeDisposalNotifiesOnce() {
        let disposer = disposer()
        disposer.tellDisposed()
        disposer.dispose()
        #expect(log.text == "told")
    }

    @Test func stopsOnce() {
        let disposer = SinkDisposer()
        #expect(disposer.stop())
        #expect(!disposer.stop())
    }

    @Test func doesNotStopOnceDisposed() {
        let disposer = SinkDisposer()
        disposer.dispose()
        #expect(!disposer.stop())
    }

    @Test func aTeardownMayDisposeAgainAndAdopt() {
        let disposer = disposer()
        disposer.adopt(
            Disposables.create { [log] in
                log("torn")
                disposer.dispose()
                disposer.adopt(self.teardown("inner"))
            })
        disposer.dispose()
        #expect(log.text == "torn inner told")
    }

    @Test func disposerIsFoundFromItsStateWord() {
        let disposer = SinkDisposer()
        #expect(SinkDisposer.of(disposer.chain).takeUnretainedValue() === disposer)
    }

    @Test func threadsThatFeedAdoptAndDisposeRunEachTeardownOnce() throws {
        for _ in 0..<2_000 {
            let log = Log()
            let disposer = TellingDisposer { log("told") }
            try runConcurrently(threads: 4) { index in
                switch index {
                case 0: disposer.feed(from: Source("source", log))
                case 1: disposer.adopt(Disposables.create { log("torn") })
                default: disposer.dispose()
                }
            }
            #expect(log.entries.sorted() == ["source", "told", "torn"])
        }
    }

    @Test func haltReachesSourceAndAdoptedChainAndDisposesNothing() {
        let (disposer, adopted) = (disposer(), self.disposer())
        disposer.feed(from: Source("source", log))
        disposer.adopt(adopted)
        disposer.halt()
        disposer.halt()
        #expect(log.text == "source halted")
        #expect(!disposer.stop() && !adopted.stop())
        disposer.dispose()
        #expect(log.text == "source halted source told told")
    }

    @Test func sourceFedAfterHaltIsHalted() {
        let (disposer, adopted) = (disposer(), self.disposer())
        disposer.halt()
        disposer.feed(from: Source("source", log))
        disposer.adopt(adopted)
        #expect(log.text == "source halted")
        #expect(!adopted.stop())
    }

    /// The subscription is a chain in one object, of another class than the other chains here.
    @Test(arguments: [false, true]) func haltsASubscriptionToASubject(adoptedLate: Bool) {
        let (disposer, subject) = (SinkDisposer(), PublishSubject<Int>())
        let subscription = subject.subscribe(onNext: { [log] in log($0) })
        if !adoptedLate { disposer.adopt(subscription) }
        disposer.halt()
        if adoptedLate { disposer.adopt(subscription) }
        subject.onNext(1)
        #expect(log.text.isEmpty && subject.hasObservers)
        disposer.dispose()
        #expect(!subject.hasObservers)
    }

    /// A cancellation halts chains while Swift holds the task's lock.
    @Test func chainDisposedDuringHaltIsFreedAfterIt() {
        let tracker = LifetimeTracker()
        do {
            let disposer = SinkDisposer()
            do {
                let adopted = SinkDisposer()
                adopted.feed(
                    from: HaltedSource(holding: tracker.make()) { [unowned disposer] in disposer.dispose() })
                disposer.adopt(adopted)
            }
            disposer.halt()
            #expect(tracker.live == 1)
        }
        #expect(tracker.live == 0)
    }

    @Test func userTeardownsAreFreedByDisposalDuringHalt() {
        let (disposer, tracker) = (SinkDisposer(), LifetimeTracker())
        disposer.feed(
            from: HaltedSource(holding: LifetimeTracker().make()) { [unowned disposer] in disposer.dispose() })
        disposer.adopt(Teardown(log, tracker.make()))
        disposer.halt()
        withExtendedLifetime(disposer) {
            #expect(log.text == "torn")
            #expect(tracker.live == 0)
        }
    }

    @Test func sourceFedAfterDisposalAndHaltIsReleased() {
        let (disposer, tracker) = (SinkDisposer(), LifetimeTracker())
        disposer.dispose()
        disposer.halt()
        disposer.feed(from: Source("source", log, tracker.make()))
        withExtendedLifetime(disposer) {
            #expect(log.text == "source")
            #expect(tracker.live == 0)
        }
    }

    /// An adoption that came late would run its teardown before its turn.
    @Test func teardownsAfterDisposalDuringHaltRunOnce() {
        let (disposer, first, second) = (SinkDisposer(), self.disposer(), self.disposer())
        disposer.feed(
            from: HaltedSource(holding: LifetimeTracker().make()) { [unowned disposer] in disposer.dispose() })
        first.adopt(
            Disposables.create { [log, unowned disposer] in
                disposer.adopt(self.teardown("late"))
                log("first")
            })
        second.adopt(teardown("second"))
        disposer.adopt(first)
        disposer.adopt(second)
        disposer.halt()
        #expect(log.text == "late first told second told")
    }

    @Test func haltsNothingOnceItIsDisposed() {
        let disposer = disposer()
        disposer.feed(from: Source("source", log))
        disposer.dispose()
        disposer.halt()
        #expect(log.text == "source told")
    }

    @Test func threadsThatFeedHaltAndDisposeDisposeTheSourceOnce() throws {
        for _ in 0..<2_000 {
            let log = Log()
            let disposer = TellingDisposer { log("told") }
            try runConcurrently(threads: 4) { index in
                switch index {
                case 0: disposer.feed(from: Source("source", log))
                case 1: disposer.dispose()
                default: disposer.halt()
                }
            }
            #expect(log.entries.filter { $0 != "source halted" }.sorted() == ["source", "told"])
        }
    }

    @Test func sourceDisposedDuringNotificationIsDisposedAfterIt() {
        let disposer = disposer()
        _ = crx_state_fetch_or_acq_rel(disposer.chain, CRX_CHAIN_LISTENS)
        disposer.feed(from: ToldSource(log) { disposer.dispose() })
        var agenda = FlowAgenda(turnOf: nil)
        agenda.change(disposer, set: CRX_CHAIN_FULL)
        agenda.tellAll()
        #expect(log.text == "telling told has been told source")
    }
}

/// Logs its release.
private final class Source: Upstream {
    private let name: String
    private let log: Log
    private let held: LifetimeTracker.Tracked?

    init(_ name: String, _ log: Log, _ held: LifetimeTracker.Tracked? = nil) {
        self.name = name
        self.log = log
        self.held = held
    }

    func dispose(key: UnsafeMutableRawPointer?) {
        log(name)
    }

    func halt() {
        log("\(name) halted")
    }
}

/// A program's own disposable that holds an object while it lives.
private final class Teardown: Disposable {
    private let log: Log
    private let held: LifetimeTracker.Tracked

    init(_ log: Log, _ held: LifetimeTracker.Tracked) {
        self.log = log
        self.held = held
    }

    func dispose() {
        log("torn")
    }
}

/// Runs a closure while it is being notified.
private final class ToldSource: Upstream {
    private let log: Log
    private let act: () -> Void

    init(_ log: Log, _ act: @escaping () -> Void) {
        self.log = log
        self.act = act
    }

    func dispose(key: UnsafeMutableRawPointer?) {
        log("source")
    }

    func tell(isPaused: Bool, _ agenda: inout FlowAgenda) {
        log("telling")
        act()
        log("has been told")
    }
}
