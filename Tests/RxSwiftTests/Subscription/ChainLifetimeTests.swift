import CRxCore
import TestSupport
import Testing

@testable import RxSwift

struct ChainLifetimeTests {
    private let log = Log()

    private func teardown(_ name: String) -> any Disposable {
        Disposables.create { [log] in log(name) }
    }

    private func lifetime() -> ChainLifetime {
        NotifyingLifetime { [log] in log("told") }
    }

    @Test func disposalRunsSourceThenTeardownsThenOnDisposed() {
        let lifetime = lifetime()
        lifetime.adopt(teardown("first"))
        lifetime.feed(from: Source("source", log))
        lifetime.adopt(teardown("second"))
        lifetime.dispose()
        #expect(log.text == "source first second told")
    }

    @Test func adoptedChainIsDisposedInSameOrder() {
        let (outer, inner) = (lifetime(), lifetime())
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
        let (outer, inner) = (lifetime(), lifetime())
        inner.adopt(teardown("torn"))
        outer.adopt(inner)
        if isDisposedFirst { inner.dispose() } else { inner.notifyDisposed() }
        outer.dispose()
        #expect(log.text == (isDisposedFirst ? "torn told told" : "told torn told"))
    }

    @Test func disposesOnce() {
        let lifetime = lifetime()
        lifetime.feed(from: Source("source", log))
        lifetime.adopt(teardown("torn"))
        lifetime.dispose()
        lifetime.dispose()
        #expect(log.text == "source torn told")
        #expect(lifetime.isDisposed)
    }

    @Test func sourceFedAfterDisposalIsDisposed() {
        let lifetime = lifetime()
        lifetime.dispose()
        lifetime.feed(from: Source("source", log))
        #expect(log.text == "told source")
    }

    @Test func teardownAdoptedAfterDisposalRuns() {
        let lifetime = lifetime()
        lifetime.dispose()
        lifetime.adopt(teardown("torn"))
        lifetime.adopt(teardown("torn too"))
        #expect(log.text == "told torn torn too")
    }

    @Test(arguments: [false, true])
    func disposalFreesSourceAndTeardowns(afterAHalt: Bool) {
        let tracker = LifetimeTracker()
        let lifetime = ChainLifetime()
        lifetime.feed(from: Source("source", log, tracker.make()))
        let held = tracker.make()
        lifetime.adopt(Disposables.create { [held] in _ = held })
        if afterAHalt { lifetime.halt() }
        lifetime.dispose()
        withExtendedLifetime((lifetime, held)) { #expect(tracker.live == 1) }
    }

    @Test func tellDisposedBeforeDisposalNotifiesOnce() {
        let lifetime = lifetime()
        lifetime.notifyDisposed()
        lifetime.dispose()
        #expect(log.text == "told")
    }

    @Test func stopsOnce() {
        let lifetime = ChainLifetime()
        #expect(lifetime.stop())
        #expect(!lifetime.stop())
    }

    @Test func doesNotStopOnceDisposed() {
        let lifetime = ChainLifetime()
        lifetime.dispose()
        #expect(!lifetime.stop())
    }

    @Test func aTeardownMayDisposeAgainAndAdopt() {
        let lifetime = lifetime()
        lifetime.adopt(
            Disposables.create { [log] in
                log("torn")
                lifetime.dispose()
                lifetime.adopt(self.teardown("inner"))
            })
        lifetime.dispose()
        #expect(log.text == "torn inner told")
    }

    @Test func disposerIsFoundFromItsStateWord() {
        let lifetime = ChainLifetime()
        #expect(ChainLifetime.of(lifetime.chain).takeUnretainedValue() === lifetime)
    }

    @Test func threadsThatFeedAdoptAndDisposeRunEachTeardownOnce() throws {
        for _ in 0..<2_000 {
            let log = Log()
            let lifetime = NotifyingLifetime { log("told") }
            try runConcurrently(threads: 4) { index in
                switch index {
                case 0: lifetime.feed(from: Source("source", log))
                case 1: lifetime.adopt(Disposables.create { log("torn") })
                default: lifetime.dispose()
                }
            }
            #expect(log.entries.sorted() == ["source", "told", "torn"])
        }
    }

    @Test func haltReachesSourceAndAdoptedChainAndDisposesNothing() {
        let (lifetime, adopted) = (lifetime(), self.lifetime())
        lifetime.feed(from: Source("source", log))
        lifetime.adopt(adopted)
        lifetime.halt()
        lifetime.halt()
        #expect(log.text == "source halted")
        #expect(!lifetime.stop() && !adopted.stop())
        lifetime.dispose()
        #expect(log.text == "source halted source told told")
    }

    @Test func sourceFedAfterHaltIsHalted() {
        let (lifetime, adopted) = (lifetime(), self.lifetime())
        lifetime.halt()
        lifetime.feed(from: Source("source", log))
        lifetime.adopt(adopted)
        #expect(log.text == "source halted")
        #expect(!adopted.stop())
    }

    @Test(arguments: [false, true]) func haltsASubscriptionToASubject(adoptedLate: Bool) {
        let (lifetime, subject) = (ChainLifetime(), PublishSubject<Int>())
        let subscription = subject.subscribe(onNext: { [log] in log($0) })
        if !adoptedLate { lifetime.adopt(subscription) }
        lifetime.halt()
        if adoptedLate { lifetime.adopt(subscription) }
        subject.onNext(1)
        #expect(log.text.isEmpty && subject.hasObservers)
        lifetime.dispose()
        #expect(!subject.hasObservers)
    }

    /// Swift may hold a task's lock during a halt, so the halt must not free the user's objects.
    @Test func chainDisposedDuringHaltIsFreedAfterIt() {
        let tracker = LifetimeTracker()
        do {
            let lifetime = ChainLifetime()
            do {
                let adopted = ChainLifetime()
                adopted.feed(
                    from: HaltedSource(holding: tracker.make()) { [unowned lifetime] in lifetime.dispose() })
                lifetime.adopt(adopted)
            }
            lifetime.halt()
            #expect(tracker.live == 1)
        }
        #expect(tracker.live == 0)
    }

    @Test func userTeardownsAreFreedByDisposalDuringHalt() {
        let (lifetime, tracker) = (ChainLifetime(), LifetimeTracker())
        lifetime.feed(
            from: HaltedSource(holding: LifetimeTracker().make()) { [unowned lifetime] in lifetime.dispose() })
        lifetime.adopt(Teardown(log, tracker.make()))
        lifetime.halt()
        withExtendedLifetime(lifetime) {
            #expect(log.text == "torn")
            #expect(tracker.live == 0)
        }
    }

    @Test func sourceFedAfterDisposalAndHaltIsReleased() {
        let (lifetime, tracker) = (ChainLifetime(), LifetimeTracker())
        lifetime.dispose()
        lifetime.halt()
        lifetime.feed(from: Source("source", log, tracker.make()))
        withExtendedLifetime(lifetime) {
            #expect(log.text == "source")
            #expect(tracker.live == 0)
        }
    }

    /// The first teardown adopts "late" during the disposal, so "late" runs at once.
    @Test func teardownsAfterDisposalDuringHaltRunOnce() {
        let (lifetime, first, second) = (ChainLifetime(), self.lifetime(), self.lifetime())
        lifetime.feed(
            from: HaltedSource(holding: LifetimeTracker().make()) { [unowned lifetime] in lifetime.dispose() })
        first.adopt(
            Disposables.create { [log, unowned lifetime] in
                lifetime.adopt(self.teardown("late"))
                log("first")
            })
        second.adopt(teardown("second"))
        lifetime.adopt(first)
        lifetime.adopt(second)
        lifetime.halt()
        #expect(log.text == "late first told second told")
    }

    @Test func haltsNothingOnceItIsDisposed() {
        let lifetime = lifetime()
        lifetime.feed(from: Source("source", log))
        lifetime.dispose()
        lifetime.halt()
        #expect(log.text == "source told")
    }

    @Test func threadsThatFeedHaltAndDisposeDisposeTheSourceOnce() throws {
        for _ in 0..<2_000 {
            let log = Log()
            let lifetime = NotifyingLifetime { log("told") }
            try runConcurrently(threads: 4) { index in
                switch index {
                case 0: lifetime.feed(from: Source("source", log))
                case 1: lifetime.dispose()
                default: lifetime.halt()
                }
            }
            #expect(log.entries.filter { $0 != "source halted" }.sorted() == ["source", "told"])
        }
    }

    @Test func sourceDisposedDuringNotificationIsDisposedAfterIt() {
        let lifetime = lifetime()
        crx_pause_set_listening(lifetime.chain)
        lifetime.feed(from: NotifiedSource(log) { lifetime.dispose() })
        var worklist = PauseWorklist(turnOf: nil)
        worklist.setFull(true, lifetime)
        worklist.notifyAll()
        #expect(log.text == "telling told has been told source")
    }
}

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

private final class NotifiedSource: Upstream {
    private let log: Log
    private let act: () -> Void

    init(_ log: Log, _ act: @escaping () -> Void) {
        self.log = log
        self.act = act
    }

    func dispose(key: UnsafeMutableRawPointer?) {
        log("source")
    }

    func setPaused(_ isPaused: Bool, _ worklist: inout PauseWorklist) {
        log("telling")
        act()
        log("has been told")
    }
}
