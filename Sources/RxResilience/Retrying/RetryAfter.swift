public import RxSwift

/// An error that states the pause before the next attempt, as HTTP's `Retry-After` and gRPC's push-back do.
///
///     extension Unavailable: RetryAfter {
///         var retryAfter: RxTimeInterval? { header.map { .seconds($0) } }
///     }
public protocol RetryAfter: Error {
    /// The pause before the next attempt. It may exceed the policy's limit.
    ///
    /// With nil, the policy decides; `.never` forbids another attempt. The property is read on the thread that
    /// sends the error.
    var retryAfter: RxTimeInterval? { get }
}
