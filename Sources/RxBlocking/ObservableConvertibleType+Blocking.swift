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
    /// - Parameter timeout: how many seconds of the monotonic clock an operator waits, counted from its call, before it
    ///   fails with `RxError.timeout`; nil waits as long as it takes. What a source does while it is being subscribed
    ///   to on the calling thread is not cut short, but an end that comes too late by then is a timeout all the same;
    ///   so a timeout of 0 always fails.
    public func toBlocking(timeout: TimeInterval? = nil) -> BlockingObservable<Element> {
        BlockingObservable(timeout: timeout, source: asObservable())
    }
}
