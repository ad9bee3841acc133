/// The number of bytes that one look-up in debug information may read. Damaged information may refer to the same bytes
/// many times. Used only by the thread that does the look-up.
final class ReadingBudget {
    private static let readings = 4
    /// The minimum budget in bytes, for small files.
    private static let minimum = 4 << 20

    private var left: Int

    init(for bytes: Int) {
        left = Self.readings * bytes + Self.minimum
    }

    var isSpent: Bool { left == 0 }

    /// Subtracts `count`: a number of bytes, or of objects that cost about one byte each. Returns whether some of the
    /// budget is left.
    @discardableResult
    func spend(_ count: Int) -> Bool {
        left = max(0, left - count)
        return left > 0
    }
}

extension Array<UInt64> {
    /// The elements of this sorted array in `low..<high`.
    func within(_ low: UInt64, _ high: UInt64) -> ArraySlice<UInt64> {
        let start = firstIndex(from: low)
        return low < high ? self[start..<firstIndex(from: high)] : self[start..<start]
    }

    private func firstIndex(from value: UInt64) -> Int {
        var (start, end) = (startIndex, endIndex)
        while start < end {
            let middle = start + (end - start) / 2
            if self[middle] < value { start = middle + 1 } else { end = middle }
        }
        return start
    }
}
