#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A sequence whose operators block the calling thread until they have their answer. Made by `toBlocking(timeout:)`.
///
/// It is for tests and for code that has no other way to wait.
///
/// - Threads: events may come on any thread. A wait on the main thread services the main run loop, and the main queue
///   with it, so that what observes on `MainScheduler` arrives; on any other thread the wait is on a condition, and no
///   run loop is run.
/// - Errors: each operator but ``materialize()`` throws the sequence's error, `RxError.timeout` when the time is over,
///   and ``DeadlockError``, at once and whatever the timeout, where it can tell that nothing could ever come: where all
///   events have to pass an `observe(on:)` or `subscribe(on:)` to the queue or thread of the very scheduler that the
///   waiting code runs on (a `SerialDispatchQueueScheduler`, a `PthreadScheduler`, an `OperationQueueScheduler` that
///   runs one operation at a time), or to the main queue from within a block of it (if a run loop has called the
///   block, half a second later, where the timeout has not come by then), or on it at all in a build without the trait
///   `Foundation`.
/// - Disposal: the subscription is disposed of once the answer is known, before the operator returns.
/// - Trampoline: a wait inside an event of a cold source has a trampoline of its own, so that another cold source does
///   not wait for its turn.
///
/// - Warning: A wait for what only the waiting thread could do lasts until the timeout, or for ever without one, where
///   that cannot be told: if the hop stands above an operator with several sources, above `share()`,
///   `share(replay:)`, `publish().refCount()` or `debug()`, in a sequence within another, or if the wait is in a block
///   of your own on a queue that the sequence needs.
public struct BlockingObservable<Element> {
    let timeout: TimeInterval?
    let source: Observable<Element>
}
