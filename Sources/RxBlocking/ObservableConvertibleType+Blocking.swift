#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ObservableConvertibleType {
    /// This sequence as one whose operators wait for its end.
    ///
    /// Nothing is subscribed to before one of those operators is called; each of them subscribes anew.
    ///
    /// - Parameter timeout: how many seconds of the monotonic clock an operator waits, counted from when its subscribing has returned, before
    ///   it fails with `RxError.timeout`; nil waits as long as it takes. What a source does while it is being subscribed on the
    ///   calling thread is not cut short.
    public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
        BlockingObservable(timeout: timeout, source: asObservable())
    }
}
