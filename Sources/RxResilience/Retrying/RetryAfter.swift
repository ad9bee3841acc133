public import RxSwift

/// An error that says itself how long to wait before the next attempt, as HTTP's `Retry-After` and gRPC's push-back do.
///
///     extension Unavailable: RetryAfter {
///         var retryAfter: RxTimeInterval? { header.map { .seconds($0) } }
///     }
public protocol RetryAfter: Error {
    /// The pause before the next attempt, in place of the policy's and whatever the policy's limit is.
    ///
    /// Nil leaves it to the policy, `.never` says not to try again. Called on the thread that delivers the error.
    var retryAfter: RxTimeInterval? { get }
}
