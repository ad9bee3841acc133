#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A sequence whose operators block the calling thread until they have a result. Made by `toBlocking(timeout:)`.
///
/// Use it in tests, and in code that cannot wait in another way.
///
/// - Threads: events may arrive on any thread. A wait on the main thread runs the main run loop and queue, so events
///   observed on `MainScheduler` arrive. A wait on any other thread runs no run loop.
/// - Errors: each operator except ``materialize()`` throws the sequence's error, or `RxError.timeout` after the
///   timeout. It throws a ``DeadlockError`` at once if no event can arrive while the thread waits. The library detects
///   these cases:
///   - All events must pass an `observe(on:)` or `subscribe(on:)` to the scheduler on which the waiting code runs: a
///     `SerialDispatchQueueScheduler`, a `PthreadScheduler`, or an `OperationQueueScheduler` that runs one operation at
///     a time.
///   - All events must pass the main queue, and the wait is in a block of the main queue. If a run loop has called that
///     block, the error comes after half a second.
///   - All events must pass the main queue, and the wait is on the main queue in a build without the trait
///     `Foundation`.
/// - Disposal: the subscription is disposed of before the operator returns.
///
/// - Warning: Some deadlocks are not detected. They last until the timeout, or forever without one. The library misses
///   a deadlock if the scheduler boundary is in an inner sequence, or upstream of `share()`, `share(replay:)`,
///   `publish().refCount()`, `debug()` or an operator with several sources. It also misses one if the wait is in a
///   block of your own on a queue that the sequence needs.
public struct BlockingObservable<Element> {
    let timeout: TimeInterval?
    let source: Observable<Element>
}
