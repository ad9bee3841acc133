import Dispatch
import RxSwift
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A concurrent scheduler's timers race with a source. The operator must deliver every due event, one at a time, and
/// none after the disposal.
@Suite struct TimersRaceTests {
    private typealias Operator = @Sendable (Observable<Int>, any SchedulerType) -> Observable<Int>

    private static let operators: [Operator] = [
        { $0.throttle(.microseconds(50), scheduler: $1) },
        { $0.debounce(.microseconds(20), scheduler: $1) },
        { $0.delay(.microseconds(50), scheduler: $1) },
        { $0.timeout(.microseconds(20), other: $0, scheduler: $1) },
        { $0.buffer(timeSpan: .microseconds(20), count: 3, scheduler: $1).map(\.count) },
        { $0.window(timeSpan: .microseconds(20), count: 3, scheduler: $1).flatMap { $0 } },
    ]

    @Test(arguments: 0..<6) func eventsAreSerialAndEndWithTheCompletion(index: Int) throws {
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
        for _ in 0..<50 {
            let source = PublishSubject<Int>()
            let (inside, faults, done) = (Counter(), Counter(), DispatchSemaphore(value: 0))
            nonisolated(unsafe) var hasEnded = false
            let subscription = Self.operators[index](source, scheduler).subscribe(
                onNext: { _ in
                    if inside.add(1) != 1 || hasEnded { _ = faults.add(1) }
                    _ = inside.add(-1)
                },
                onCompleted: {
                    if inside.add(1) != 1 { _ = faults.add(1) }
                    hasEnded = true
                    _ = inside.add(-1)
                    done.signal()
                })
            try runConcurrently(threads: 2) { _ in
                for element in 0..<200 { source.onNext(element) }
            }
            source.onCompleted()
            #expect(done.wait(timeout: .now() + 20) == .success)
            #expect(faults.add(0) == 0)
            #expect(!source.hasObservers)
            subscription.dispose()
        }
    }

    @Test(arguments: 0..<6) func aDisposalFreesAllWhileTimersFire(index: Int) throws {
        let scheduler = ConcurrentDispatchQueueScheduler(qos: .userInitiated)
        for _ in 0..<50 {
            let source = PublishSubject<Int>()
            let subscription = Self.operators[index](source, scheduler).subscribe()
            try runConcurrently(threads: 2) { thread in
                for element in 0..<100 {
                    if thread == 1 && element == 50 { subscription.dispose() }
                    source.onNext(element)
                }
            }
            let deadline = DispatchTime.now() + 20
            while source.hasObservers && DispatchTime.now() < deadline { sched_yield() }
            #expect(!source.hasObservers)
        }
    }
}

private final class Counter: @unchecked Sendable {  // because `value` is accessed only under `lock`
    private let lock = RecursiveMutex()
    private var value = 0

    func add(_ count: Int) -> Int {
        lock.withLock {
            value += count
            return value
        }
    }
}
