import Dispatch
import Synchronization
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Runs closures on separate threads for each of many values, all closures for the same value at the same moment, and
/// awaits their end.
///
/// The caller suspends, because the tasks that the contenders resume need the threads of its pool.
///
/// - Parameters:
///   - things: the values to contend for, one after another.
///   - contenders: a closure for each thread.
func contest<Thing: Sendable>(for things: [Thing], _ contenders: (@Sendable (Thing) -> Void)...) async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
            let arrived = Atomic(0)
            do {
                try runConcurrently(threads: contenders.count) { index in
                    for (round, thing) in things.enumerated() {
                        arrived.add(1, ordering: .relaxed)
                        while arrived.load(ordering: .relaxed) < (round + 1) * contenders.count { sched_yield() }
                        contenders[index](thing)
                    }
                }
            } catch {
                fatalError("\(error)")
            }
            continuation.resume()
        }
    }
}

/// Waits for a condition that other tasks and threads bring about, with a time limit.
///
/// A task continues only after all tests that wait for the pool have begun, so on a busy machine the wait may last as
/// long as the whole run.
func until(sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool) async {
    let deadline = ContinuousClock.now + .seconds(1_500)
    while !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("has not come about in 1500 s", sourceLocation: sourceLocation)
            return
        }
        await Task.yield()
    }
}
