#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A sequence with operators that block the calling thread until they have a result. Made by `toBlocking(timeout:)`.
///
/// Use it in tests, and in code that cannot wait in another way.
///
/// - Threads: events may arrive on any thread. A wait on the main thread runs the main run loop, and with it the main
///   queue, so events observed on `MainScheduler` arrive. A wait on any other thread blocks on a condition variable and
///   runs no run loop.
/// - Errors: each operator except ``materialize()`` throws the sequence's error, `RxError.timeout` when the timeout has
///   passed, or ``DeadlockError``. A ``DeadlockError`` is thrown at once, with any timeout, if no event can arrive
///   while the thread waits. The library detects such a wait in the following cases:
///   - All events must pass an `observe(on:)` or `subscribe(on:)` to the scheduler on which the waiting code runs: a
///     `SerialDispatchQueueScheduler`, a `PthreadScheduler`, or an `OperationQueueScheduler` that runs one operation at
///     a time.
///   - All events must pass the main queue, and the wait is in a block of the main queue. If a run loop has called that
///     block, the error is thrown after half a second, unless the timeout comes first.
///   - All events must pass the main queue, and the wait is on the main queue in a build without the trait
///     `Foundation`.
/// - Disposal: the subscription is disposed of when the result is known, before the operator returns.
/// - Trampoline: a wait inside an event of a cold source has a `CurrentThreadScheduler` queue of its own, so that
///   another cold source runs at once.
///
/// - Warning: Some deadlocks are not detected. The wait then lasts until the timeout, or forever if there is no
///   timeout. This happens if the scheduler boundary is upstream of an operator with several sources, upstream of
///   `share()`, `share(replay:)`, `publish().refCount()` or `debug()`, or in an inner sequence. It also happens if the
///   wait is in a block of your own on a queue that the sequence needs.
public struct BlockingObservable<Element> {
    let timeout: TimeInterval?
    let source: Observable<Element>
}
