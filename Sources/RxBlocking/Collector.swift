/// Which elements a wait holds on to.
enum Kept {
    case all
    /// So many; with the last of them the wait is over.
    case first(Int)
    case last
}

/// What a wait has brought.
struct Outcome<Element> {
    var elements: [Element] = []
    var error: (any Error)?

    func get() throws -> [Element] {
        if let error { throw error }
        return elements
    }
}

/// Gathers elements on the threads that deliver them, for the one thread that waits.
///
/// - `outcome`: under the lock of `latch` until that is open, then the waiter's. Nothing is added once it is open.
final class Collector<Element>: @unchecked Sendable {  // because of the guard above
    private let kept: Kept
    private let latch = Latch()
    private var outcome = Outcome<Element>()

    init(_ kept: Kept) {
        self.kept = kept
    }

    /// Takes an element in, unless the wait is over.
    ///
    /// - Returns: whether this was the last one wanted.
    func add(_ element: Element) -> Bool {
        // A replaced element goes after the lock: its release may run a user's code.
        var replaced: Element?
        var isLast = false
        latch.whileClosed {
            switch kept {
            case .all: outcome.elements.append(element)
            case .first(let limit):
                if outcome.elements.count < limit { outcome.elements.append(element) }
                isLast = outcome.elements.count == limit
            case .last:
                replaced = outcome.elements.popLast()
                outcome.elements.append(element)
            }
        }
        withExtendedLifetime(replaced) {}
        return isLast
    }

    /// Ends the wait, unless it is over.
    func end(_ error: (any Error)?) {
        latch.open { outcome.error = error }
    }

    /// Waits for the end, at most until the deadline, and not at all if an obstacle keeps it from coming. To be called
    /// once.
    ///
    /// An end that came while the source was being subscribed to, but after the deadline, has come too late.
    func wait(until deadline: Moment?, past obstacle: DeadlockDetector.Obstacle?) -> Outcome<Element> {
        let isLate = deadline.map { $0 <= .now } ?? false
        if let error = latch.wait(until: deadline, past: obstacle) {
            end(error)
        } else if isLate {
            outcome.error = RxError.timeout
        }
        defer { outcome = Outcome() }
        return outcome
    }
}
