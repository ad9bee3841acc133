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

/// For each value, runs all closures at the same moment, each on its own thread. Returns when all have ended. Suspends
/// the caller, because the tasks that the closures resume need threads of Swift's pool.
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

/// Waits until `condition` returns true, at most 1,500 seconds. On a busy machine the wait may last as long as the
/// whole run: after each `yield`, Swift's pool first runs the tests that have not begun.
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
