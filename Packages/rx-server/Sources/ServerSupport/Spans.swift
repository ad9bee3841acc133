package import Dispatch

// `RxTimeInterval` is an alias of this type.
extension DispatchTimeInterval {
    /// The nanoseconds, clamped to the range of `Int`; `Int.max` for `never`.
    package var inNanoseconds: Int {
        let (count, unit): (Int, Int) =
            switch self {
            case .seconds(let count): (count, 1_000_000_000)
            case .milliseconds(let count): (count, 1_000_000)
            case .microseconds(let count): (count, 1_000)
            case .nanoseconds(let count): (count, 1)
            default: (.max, 1)
            }
        let (product, overflows) = count.multipliedReportingOverflow(by: unit)
        return overflows ? (count < 0 ? .min : .max) : product
    }
}

extension Duration {
    /// The nanoseconds, clamped to the range of `Int`.
    package var inNanoseconds: Int {
        let (seconds, attoseconds) = components
        let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isSumTooLong) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLong || isSumTooLong ? (seconds < 0 ? .min : .max) : Int(clamping: sum)
    }
}
