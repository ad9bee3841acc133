import Dispatch
import RxSwift
import Synchronization

/// The pipelines of a driver that have been disposed of and still hand back what they had: the driver is not closed
/// before that.
///
/// Guards: `counts` is under its lock, which is taken within that of a passage's phase, never around it.
enum Departures {
    private static let counts = Mutex<[ObjectIdentifier: Int]>([:])
    private static let bell = Bell()

    /// One pipeline, from its beginning to the end of its task.
    final class Passage: Sendable {
        private enum Phase {
            case running, leaving, gone
        }

        private let driver: ObjectIdentifier
        private let phase = Mutex(Phase.running)

        init(_ driver: any StreamDriver) {
            self.driver = ObjectIdentifier(driver)
        }

        /// It is disposed of. From here on it is waited for.
        func leave() {
            phase.withLock { phase in
                guard phase == .running else { return }
                phase = .leaving
                Departures.counts.withLock { $0[driver, default: 0] += 1 }
            }
        }

        /// Its task has ended.
        func end() {
            let wasLeaving = phase.withLock { phase in
                defer { phase = .gone }
                return phase == .leaving
            }
            guard wasLeaving else { return }
            Departures.counts.withLock { counts in
                let left = (counts[driver] ?? 1) - 1
                counts[driver] = left == 0 ? nil : left
            }
            Departures.bell.ring()
        }
    }

    /// Waits until no pipeline of the driver is leaving, at most five seconds, and not at all in a task that
    /// is cancelled.
    static func done(_ driver: any StreamDriver) async {
        let late = SingleAssignmentDisposable()
        let alarm = driver.scheduler.scheduleRelative((), dueTime: .seconds(5)) {
            late.dispose()
            bell.ring()
            return Disposables.create()
        }
        defer { alarm.dispose() }
        while !late.isDisposed, !Task.isCancelled {
            let seen = bell.rings
            if counts.withLock({ $0[ObjectIdentifier(driver)] == nil }) { return }
            await bell.wait(after: seen, atMost: .never, on: driver.scheduler)
        }
    }
}
