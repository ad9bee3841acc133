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

/// Has threads of their own do something to each of many things, all of them to the same thing at the same moment, and
/// awaits their end.
///
/// The caller suspends meanwhile: the tasks that the contenders resume need the threads of its pool.
///
/// - Parameters:
///   - things: what they contend for, one after the other.
///   - contenders: what each thread does.
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

/// Waits for something that other tasks and threads bring about, but not for ever.
///
/// Each turn of a task comes behind all the tests that wait for their first one, so on a busy machine it takes as long
/// as the run does.
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
