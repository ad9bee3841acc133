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

/// The last `size` calls, or the calls of the last span of time. Times and spans are in nanoseconds.
struct CallWindow {
    private enum Kind {
        case calls(Int)
        case slices(length: Int)
    }

    static let slices = 10

    private let kind: Kind
    private(set) var total = CallTally()

    /// For a window of calls: one byte for each call. Bit 0 is set if the call failed, bit 1 if it was slow. Once the
    /// window is full, `oldest` is the index of the oldest call.
    private var calls: [UInt8] = []
    private var oldest = 0

    /// For a window of time: one tally for each slice, which is a tenth of the span. `newest` is the number of the
    /// latest slice. Slice `n` is at index `n % slices`.
    private var tallies: [CallTally] = []
    private var newest = 0

    init(calls: Int) {
        kind = .calls(calls)
    }

    init(span: Int) {
        kind = .slices(length: max(span / Self.slices, 1))
        tallies = Array(repeating: CallTally(), count: Self.slices)
    }

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
            // If the clock was set back, the call is added to the newest slice.
            advance(to: max(moment / length, newest))
            tallies[newest % Self.slices] += call
        }
        total += call
    }

    func total(at moment: Int) -> CallTally {
        guard case .slices(let length) = kind, moment / length > newest else { return total }
        var window = self
        window.advance(to: moment / length)
        return window.total
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
