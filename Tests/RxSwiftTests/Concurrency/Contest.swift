import Dispatch
import Synchronization
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Has threads of their own do something to each of many things, all of them to the same thing at the same moment, and awaits their end.
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

/// Waits for something that other tasks and threads bring about.
func until(_ condition: () -> Bool) async {
    while !condition() { await Task.yield() }
}
