#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A sequence whose operators block the calling thread until they have their answer. Made by `toBlocking(timeout:)`.
///
/// It is for tests and for code that has no other way to wait.
///
/// - Threads: events may come on any thread. A wait on the main thread services the main run loop, and the main queue with it, so that
///   what observes on `MainScheduler` arrives; on any other thread the wait is on a condition, and no run loop is run.
/// - Errors: each operator but ``materialize()`` throws the sequence's error, and `RxError.timeout` when the time is over.
/// - Disposal: the subscription is disposed of once the answer is known, before the operator returns.
///
/// - Warning: A wait for what only the waiting thread could do lasts until the timeout, or for ever without one. That is so on a serial
///   queue that the sequence observes on, within a block of the main queue for what comes on the main queue, on the main thread in a
///   build without the trait `Foundation`, and inside an event of a cold source for another cold source, which waits for its turn on
///   `CurrentThreadScheduler`.
public struct BlockingObservable<Element> {
    let timeout: TimeInterval?
    let source: Observable<Element>
}
