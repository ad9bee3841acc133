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

/// For each value, runs all closures at the same moment, each on its own thread. Returns when all have ended. The
/// caller is suspended and not blocked, because other tasks need the threads of Swift's pool.
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

/// Waits until `condition` returns true, at most 1,500 seconds. The limit is long, because Swift's pool may first run
/// all other tests.
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
