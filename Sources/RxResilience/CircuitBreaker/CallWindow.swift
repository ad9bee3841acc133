/// How many calls there were, and what became of them.
struct CallTally: Equatable {
    var calls = 0
    var failed = 0
    var slow = 0

    static func += (left: inout CallTally, right: CallTally) {
        left.calls += right.calls
        left.failed += right.failed
        left.slow += right.slow
    }

    static func -= (left: inout CallTally, right: CallTally) {
        left.calls -= right.calls
        left.failed -= right.failed
        left.slow -= right.slow
    }
}

/// The calls that a breaker looks back at: so many of the last, or those of the last span of time.
///
/// The memory is bounded: a byte for each of so many calls, or ten tallies. Nothing in it costs more with more calls.
struct CallWindow {
    private enum Kind {
        case calls(Int)
        case slices(length: Int)
    }

    static let slices = 10

    private let kind: Kind
    /// The calls that count, added up.
    private(set) var total = CallTally()

    /// Of so many calls: each one, the oldest at `oldest` once there are as many as there may be.
    private var calls: [UInt8] = []
    private var oldest = 0

    /// Of a span: what was added in each slice, that of slice n at n modulo their number; up to `newest`.
    private var tallies: [CallTally] = []
    private var newest = 0

    init(calls: Int) {
        kind = .calls(calls)
    }

    /// - Parameter span: in nanoseconds.
    init(span: Int) {
        kind = .slices(length: max(span / Self.slices, 1))
        tallies = Array(repeating: CallTally(), count: Self.slices)
    }

    /// Adds a call that ended at a moment, in nanoseconds from the breaker's making on.
    mutating func add(failed: Bool, slow: Bool, at moment: Int) {
        let call = CallTally(calls: 1, failed: failed ? 1 : 0, slow: slow ? 1 : 0)
        switch kind {
        case .calls(let size):
            let packed: UInt8 = (failed ? 1 : 0) | (slow ? 2 : 0)
            if calls.count < size {
                calls.append(packed)
            } else {
                let left = calls[oldest]
                total -= CallTally(calls: 1, failed: Int(left & 1), slow: Int(left >> 1))
                calls[oldest] = packed
                oldest = (oldest + 1) % size
            }
        case .slices(let length):
            // A clock that is set back adds to the newest slice.
            advance(to: max(moment / length, newest))
            tallies[newest % Self.slices] += call
        }
        total += call
    }

    private mutating func advance(to slice: Int) {
        let gone = min(slice - newest, Self.slices)
        for step in 0..<gone {
            let index = (newest + 1 + step) % Self.slices
            total -= tallies[index]
            tallies[index] = CallTally()
        }
        newest = slice
    }
}
