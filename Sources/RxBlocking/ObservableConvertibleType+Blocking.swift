#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ObservableConvertibleType {
    /// This sequence with operators that block until its end.
    ///
    /// The sequence is not subscribed to until an operator is called. Each operator makes its own subscription.
    ///
    /// - Parameter timeout: the time in seconds after which an operator fails with `RxError.timeout`, measured on the
    ///   monotonic clock from the operator's call; nil for no limit. A source that sends on the calling thread before
    ///   its `subscribe` returns is not interrupted. If the end of such a source comes after the timeout, the operator
    ///   still fails. So a timeout of 0 always fails.
    public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
        BlockingObservable(timeout: timeout, source: asObservable())
    }
}
