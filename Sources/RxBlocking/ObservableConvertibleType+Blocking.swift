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
    /// - Parameter timeout: the time in seconds, on the monotonic clock, after which an operator fails with
    ///   `RxError.timeout`, counted from its call; nil means no limit. A source that sends while it is being subscribed
    ///   to on the calling thread is not interrupted, but if its end comes after the timeout, the operator still fails
    ///   with `RxError.timeout`. So a timeout of 0 always fails.
    public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
        BlockingObservable(timeout: timeout, source: asObservable())
    }
}
