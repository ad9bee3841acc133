enum Kept {
    case all
    /// Collects this number of elements. The last of them ends the wait.
    case first(Int)
    case last
}

struct Outcome<Element> {
    var elements: [Element] = []
    var error: (any Error)?

    func get() throws -> [Element] {
        if let error { throw error }
        return elements
    }
}

/// Collects elements on the delivering threads, for the waiting thread.
///
/// Guard:
/// - `outcome`: protected by the lock of `latch` until the latch is open, then owned by the waiting thread. Nothing is
///   added after the latch has opened.
final class Collector<Element>: @unchecked Sendable {  // because of the guard above
    private let kept: Kept
    private let latch = Latch()
    private var outcome = Outcome<Element>()

    init(_ kept: Kept) {
        self.kept = kept
    }

    func add(_ element: Element) -> Bool {
        // Released after unlocking, because the release may run a user's code.
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

    func end(_ error: (any Error)?) {
        latch.open { outcome.error = error }
    }

    /// Waits for the end, at most until the deadline. Fails at once if an obstacle prevents the end. Call it once.
    ///
    /// If the sequence has ended, but the deadline passed before this call, the result is a timeout.
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
