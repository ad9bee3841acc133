import Dispatch
import RxSwift
import Synchronization
import Testing
import TestSupport

/// A program may take its own lock M both inside a chain and around calls into the chain. No deadlock may result.
///
/// One thread feeds the chain. At the place under test, it waits until a second thread holds M, then it takes M too.
/// The second thread holds M and calls into the chain. If the library held a lock at that place, both threads would
/// wait forever.
@Suite struct LockInversionTests {
    enum Place: CaseIterable {
        case observer, closure, disposal, release
    }

    enum Call: CaseIterable {
        case emit, subscribe, dispose, end
    }

    @Test("calls out without a lock: the observer", arguments: Table.rows(without: .delegates), Call.allCases)
    func observer(_ row: Row, _ call: Call) throws {
        try check(row, .observer, call)
    }

    @Test("calls out without a lock: a closure", arguments: Table.rows(without: .delegates), Call.allCases)
    func closure(_ row: Row, _ call: Call) throws {
        try check(row, .closure, call)
    }

    @Test("calls out without a lock: a disposal", arguments: Table.rows(without: .delegates), Call.allCases)
    func disposal(_ row: Row, _ call: Call) throws {
        try check(row, .disposal, call)
    }

    @Test(
        "calls out without a lock: the release of an element", arguments: Table.rows(without: .delegates), Call.allCases
    )
    func release(_ row: Row, _ call: Call) throws {
        try check(row, .release, call)
    }

    private func check(_ row: Row, _ place: Place, _ call: Call) throws {
        let meeting = Meeting()
        let trial = Trial(row, place == .disposal ? .create : .subject) { rig, probe in
            probe.onEvent = { meeting.visit(place == .observer) }
            rig.onCall = { meeting.visit(place == .closure) }
            rig.onDispose = { meeting.visit(place == .disposal) }
            rig.onDeinit = { meeting.visit(place == .release) }
        }
        let second = Probe()
        let subscription = SerialDisposable()
        meeting.open()
        try runConcurrently(threads: 2, timeout: 10) { thread in
            if thread == 0 {
                trial.rig.push(rounds: 2)
                trial.rig.complete()
                trial.subscription.dispose()
                meeting.close()
            } else {
                meeting.join {
                    switch call {
                    case .emit: for feed in trial.rig.feeds { feed.send(.next(trial.rig.make(1))) }
                    case .subscribe: subscription.disposable = trial.form!.subscribe(second)
                    case .dispose: trial.subscription.dispose()
                    case .end: for feed in trial.rig.feeds { feed.send(.completed) }
                    }
                }
            }
        }
        subscription.dispose()
        trial.rig.settle()
        #expect(trial.probe.late == 0)
        if !trial.rig.feeds.isEmpty && row.visits(place) {
            #expect(meeting.hasMet, "the first thread never came to the place")
        }
        // Keeps `trial` alive until both threads' calls have ended.
        withExtendedLifetime(trial) {}
    }
}

extension Row {
    /// Whether each trial of this row reaches `place` before the subscription is disposed of. The row must have
    /// sources.
    fileprivate func visits(_ place: LockInversionTests.Place) -> Bool {
        switch place {
        case .observer, .disposal: true
        case .closure: self.is(.throwing) && !self.is(.prepares)
        case .release: !self.is(.retains)
        }
    }
}

/// Synchronizes a thread inside the chain with a thread that holds M.
private final class Meeting: Sendable {
    private let mutex = RecursiveMutex()
    private let isOpen = Atomic(false)
    private let arrived = DispatchSemaphore(value: 0)
    private let held = DispatchSemaphore(value: 0)
    private let met = Atomic(false)

    var hasMet: Bool { met.load(ordering: .acquiring) }

    /// Makes the next visit to the place wait for the other thread.
    func open() {
        isOpen.store(true, ordering: .releasing)
    }

    /// Called when the first thread has ended. Ends the other thread's wait.
    func close() {
        isOpen.store(false, ordering: .releasing)
        arrived.signal()
    }

    /// Called inside the chain. Takes M. At the place under test, first waits until the other thread has taken M.
    func visit(_ isPlace: Bool) {
        if isPlace && isOpen.exchange(false, ordering: .acquiringAndReleasing) {
            met.store(true, ordering: .releasing)
            arrived.signal()
            held.wait()
        }
        mutex.withLock {}
    }

    /// Called by the other thread. When the first thread is at the place, takes M and calls into the chain.
    func join(_ body: () -> Void) {
        arrived.wait()
        mutex.withLock {
            held.signal()
            body()
        }
    }
}
