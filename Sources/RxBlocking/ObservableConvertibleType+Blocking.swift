#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ObservableConvertibleType {
    /// This sequence with blocking operators, each of which subscribes separately.
    ///
    /// - Parameter timeout: the time in seconds after which an operator fails with `RxError.timeout`, measured on the
    ///   monotonic clock from the operator's call; nil for no limit. The timeout does not interrupt a source that sends
    ///   before its `subscribe` returns. If such a source ends after the timeout, the operator fails. A timeout of 0
    ///   always fails.
    public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
        BlockingObservable(timeout: timeout, source: asObservable())
    }
}
