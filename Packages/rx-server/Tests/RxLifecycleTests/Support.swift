import Foundation
import RxLifecycle
import RxTest
import Synchronization

/// What was noted, in order, and may be awaited. `state`: under its lock.
final class Journal: Sendable {
    private struct State {
        var lines: [String] = []
        var waiters: [(line: String, waiter: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func note(_ line: String) {
        let waiters = state.withLock { state in
            state.lines.append(line)
            defer { state.waiters.removeAll { $0.line == line } }
            return state.waiters.filter { $0.line == line }.map(\.waiter)
        }
        for waiter in waiters { waiter.resume() }
    }

    var lines: [String] { state.withLock { $0.lines } }

    /// Waits until a line is there.
    func has(_ line: String) async {
        await withCheckedContinuation { waiter in
            let isThere = state.withLock { state in
                if !state.lines.contains(line) { state.waiters.append((line, waiter)) }
                return state.lines.contains(line)
            }
            if isThere { waiter.resume() }
        }
    }
}

extension TestScheduler {
    /// One step is a millisecond.
    static func milliseconds() -> TestScheduler { TestScheduler(initialClock: 0, resolution: 0.001) }
}

extension ObservableType {
    /// Notes the subscription, the end, and the disposal.
    func noted(in journal: Journal, as name: String) -> Observable<Element> {
        self.do(
            onNext: { journal.note("\(name): \($0)") }, onError: { journal.note("\(name) failed: \($0)") },
            onCompleted: { journal.note("\(name) completed") }, onSubscribed: { journal.note("\(name) subscribed") },
            onDispose: { journal.note("\(name) disposed") })
    }
}

struct Declined: Error {}
