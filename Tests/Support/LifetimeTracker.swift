/// Counts living instances, to find leaked or lost elements.
package final class LifetimeTracker: Sendable {
    private let count = Guarded((live: 0, made: 0))

    package init() {}

    package var live: Int {
        count.withLock { $0.live }
    }

    package var made: Int {
        count.withLock { $0.made }
    }

    /// Makes an instance. `onDeinit` runs on the thread that releases the instance.
    package func make(_ value: Int = 0, onDeinit: (@Sendable () -> Void)? = nil) -> Tracked {
        count.withLock {
            $0.live += 1
            $0.made += 1
        }
        return Tracked(value, tracker: self, onDeinit: onDeinit)
    }

    package final class Tracked: Sendable {
        package let value: Int
        private let tracker: LifetimeTracker
        private let onDeinit: (@Sendable () -> Void)?

        fileprivate init(_ value: Int, tracker: LifetimeTracker, onDeinit: (@Sendable () -> Void)?) {
            self.value = value
            self.tracker = tracker
            self.onDeinit = onDeinit
        }

        deinit {
            onDeinit?()
            tracker.count.withLock { $0.live -= 1 }
        }
    }
}

extension LifetimeTracker.Tracked: Equatable, CustomStringConvertible {
    package static func == (lhs: LifetimeTracker.Tracked, rhs: LifetimeTracker.Tracked) -> Bool {
        lhs.value == rhs.value
    }

    package var description: String { "\(value)" }
}
