import Dispatch
import RxResilience
import RxSwift
import TestSupport
import Testing

struct PausingTests {
    private static func numbers(_ count: Int) -> Observable<Int> { .range(start: 0, count: count) }

    private static func shapes(_ scheduler: any SchedulerType) -> [Observable<Int>] {
        let bulkhead = Bulkhead(2, waiting: .max)
        return [
            numbers(3_000).admitted(by: Bulkhead(1)),
            numbers(30).flatMap { _ in numbers(100).admitted(by: bulkhead) },
            numbers(3_000).guarded(by: CircuitBreaker("calls", scheduler: scheduler)),
            numbers(3_000).timeout(between: .seconds(60), total: .seconds(600), scheduler: scheduler),
            numbers(3_000).batched(count: 7, within: .milliseconds(1), scheduler: scheduler).concatMap {
                Observable.from($0)
            },
            numbers(3_000).hedged(after: .seconds(60), scheduler: scheduler),
        ]
    }

    @Test(.notForever, arguments: 0..<6) func boundedChainAcrossThreadsLosesNoElement(shape: Int) async throws {
        let (below, timers) = (PthreadScheduler(name: "below"), ConcurrentDispatchQueueScheduler(qos: .default))
        let elements = try await Self.shapes(timers)[shape].observe(on: below).bounded(8).toArray().value
        #expect(elements.count == 3_000)
        if shape != 1 { #expect(elements == Array(0..<3_000)) }
    }

    @Test(.notForever, arguments: 0..<6) func aDisposalMayComeAtAnyMoment(shape: Int) async throws {
        let (below, timers) = (PthreadScheduler(name: "below"), ConcurrentDispatchQueueScheduler(qos: .default))
        for _ in 0..<20 {
            let chain = Self.shapes(timers)[shape].observe(on: below).bounded(8)
            chain.subscribe().dispose()
            for try await _ in chain.values { break }
        }
    }
}
