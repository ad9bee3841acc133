import Dispatch
import RxSwift
import Synchronization

/// The pipelines of all drivers. When a broker is closed, its pipelines first end and hand back their messages.
///
/// Guards: `state` is protected by its lock. While the lock is held, no task is cancelled or resumed, and no closure is
/// released.
enum Departures {
    private struct Entry {
        let driver: ObjectIdentifier
        /// Whether the pipeline has been disposed of or cancelled, and its task still runs.
        var isLeaving = false
        /// Whether the broker is being closed, or the driver has been closed.
        var isClosed = false
        /// Cancels the task; nil until the task exists, and after the cancellation.
        var cancel: (@Sendable () -> Void)?
    }

    private struct State {
        /// The pipelines by number. Numbers increase, so `close` cancels the oldest first.
        var entries: [UInt64: Entry] = [:]
        var lastNumber: UInt64 = 0
        /// The number of calls that are closing each driver. Such a call retains its driver, so no other object gets
        /// the identifier.
        var closing: [ObjectIdentifier: Int] = [:]

        /// Marks the pipeline as closed. Removes and returns the closure that cancels its task.
        mutating func close(_ number: UInt64) -> (@Sendable () -> Void)? {
            entries[number]?.isLeaving = true
            entries[number]?.isClosed = true
            return entries[number]?.cancel.take()
        }
    }

    private static let state = Mutex(State())
    private static let signal = AsyncSignal()

    /// One pipeline, from its subscription to the end of its task.
    final class Passage: Sendable {
        private let number: UInt64

        init(_ driver: any StreamDriver) {
            let driver = ObjectIdentifier(driver)
            number = Departures.state.withLock { state in
                state.lastNumber += 1
                let isClosing = state.closing[driver] != nil
                state.entries[state.lastNumber] = Entry(driver: driver, isLeaving: isClosing, isClosed: isClosing)
                return state.lastNumber
            }
        }

        var isClosed: Bool { Departures.state.withLock { $0.entries[number]?.isClosed ?? false } }

        /// If the pipeline is already closed, calls `cancel` at once.
        func whenClosed(_ cancel: @escaping @Sendable () -> Void) {
            let isClosed = Departures.state.withLock { state in
                guard let entry = state.entries[number] else { return false }
                if !entry.isClosed { state.entries[number]?.cancel = cancel }
                return entry.isClosed
            }
            if isClosed { cancel() }
        }

        func close() {
            let cancel = Departures.state.withLock { $0.close(number) }
            cancel?()
        }

        /// Makes `close(_:)` wait for the end of the task.
        func leave() {
            Departures.state.withLock { $0.entries[number]?.isLeaving = true }
        }

        func end() {
            let entry = Departures.state.withLock { $0.entries.removeValue(forKey: number) }
            if entry?.isLeaving ?? false { Departures.signal.send() }
        }
    }

    /// Ends all pipelines of a driver, including those that are subscribed to during this call. Waits at most five
    /// seconds for their tasks to end, then closes the driver.
    static func close(_ driver: any StreamDriver) async {
        let id = ObjectIdentifier(driver)
        let cancels = state.withLock { state in
            state.closing[id, default: 0] += 1
            return state.entries.filter { $0.value.driver == id }.keys.sorted().compactMap { state.close($0) }
        }
        for cancel in cancels { cancel() }
        await done(driver)
        await driver.close()
        state.withLock { state in
            let others = (state.closing[id] ?? 1) - 1
            state.closing[id] = others == 0 ? nil : others
        }
    }

    /// Waits at most five seconds until no pipeline of the driver is leaving. Does not wait in a cancelled task.
    private static func done(_ driver: any StreamDriver) async {
        let id = ObjectIdentifier(driver)
        let late = SingleAssignmentDisposable()
        let alarm = driver.scheduler.scheduleRelative((), dueTime: .seconds(5)) {
            late.dispose()
            signal.send()
            return Disposables.create()
        }
        defer { alarm.dispose() }
        while true {
            let seen = signal.count
            if late.isDisposed || Task.isCancelled { return }
            if state.withLock({ !$0.entries.values.contains { $0.driver == id && $0.isLeaving } }) { return }
            await signal.wait(after: seen, atMost: .never, on: driver.scheduler)
        }
    }
}
