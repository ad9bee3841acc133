import TestSupport
import Testing

@testable import RxSwift

struct CheckpointTests {
    /// An error type used only by this test, because trails are global to the process.
    private final class Failure: Error {}

    private func trail(_ chain: (Observable<Int>) -> Observable<Int>, _ failure: any Error) -> [String]? {
        nonisolated(unsafe) var trail: [String]?
        _ = chain(.error(failure)).subscribe(onError: { trail = Checkpoint.trail(of: $0) })
        return trail
    }

    @Test func trailNamesPassedCheckpoints() {
        let trail = trail({ $0.checkpoint("read").map { $0 + 1 }.checkpoint("counted") }, Failure())
        #expect(trail == ["read", "counted"])
    }

    @Test func anErrorKeepsItsType() {
        nonisolated(unsafe) var caught: (any Error)?
        _ = Observable<Int>.error(TestError.b).checkpoint("a").subscribe(onError: { caught = $0 })
        #expect(caught as? TestError == .b)
    }

    @Test func errorWithoutCheckpointHasNoTrail() {
        #expect(trail({ $0.map { $0 } }, Failure()) == [])
    }

    @Test func trailContinuesAfterCatchAndHop() async throws {
        let failure = Failure()
        let chain = Observable<Int>.error(failure).checkpoint("above")
            .observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "hop"))
            .catch { error in Observable<Int>.error(error).checkpoint("again") }.checkpoint("below")
        await #expect(throws: Failure.self) { for try await _ in chain.values {} }
        #expect(Checkpoint.trail(of: failure) == ["above", "again", "below"])
    }

    @Test func trailOfRepeatedErrorKeepsBeginningAndEnd() {
        let failure = Failure()
        for number in 0..<100 { _ = trail({ $0.checkpoint("\(number)") }, failure) }
        #expect(Checkpoint.trail(of: failure) == (0..<32).map { "\($0)" } + (68..<100).map { "\($0)" })
    }

    @Test func elementsAndCompletionPass() {
        nonisolated(unsafe) var events: [Event<Int>] = []
        _ = Observable.of(1, 2).checkpoint("a").subscribe { events.append($0) }
        #expect(events == [.next(1), .next(2), .completed])
    }

    private struct Boxed: Error {
        let failure: Failure
    }

    @Test func errorOfClassIsFreedAfterTrailIsRead() {
        weak var object: Failure?
        do {
            let failure = Failure()
            object = failure
            #expect(trail({ $0.checkpoint("a") }, failure) == ["a"])
        }
        #expect(object == nil)
    }

    @Test func structErrorIsFreedAfterNewerTrails() {
        weak var held: Failure?
        var trails = Trails()
        do {
            let failure = Failure()
            held = failure
            _ = trails.add("a", to: Boxed(failure: failure))
        }
        for _ in 1..<Trails.capacity { _ = trails.add("b", to: TestError.a) }
        #expect(held != nil)
        _ = trails.add("b", to: TestError.a)
        #expect(held == nil)
    }

    @Test func oldestTrailIsRemovedFirst() {
        var trails = Trails()
        let failures = (0...Trails.capacity).map { _ in Failure() }
        for (number, failure) in failures.enumerated() { _ = trails.add("\(number)", to: failure) }
        #expect(failures.flatMap { trails.names(of: $0) } == (1...Trails.capacity).texts)
    }

    @Test(arguments: [TestError.a, Failure()] as [any Error])
    func copiesOfErrorShareItsTrail(error: any Error) {
        var trails = Trails()
        let copy = error
        _ = trails.add("a", to: error)
        _ = trails.add("b", to: copy)
        #expect(trails.names(of: error) == ["a", "b"])
    }

    @Test func equalErrorHasItsOwnTrail() {
        var trails = Trails()
        for turn in 0..<1_000 {
            let error: any Error = TestError.a
            _ = trails.add("\(turn)", to: error)
            #expect(trails.names(of: error) == ["\(turn)"])
        }
    }

    @Test func errorReusingAnAddressHasItsOwnTrail() {
        var trails = Trails()
        for turn in 0..<1_000 {
            let failure = Failure()
            #expect(trails.names(of: failure) == [])
            _ = trails.add("\(turn)", to: failure)
            #expect(trails.names(of: failure) == ["\(turn)"])
        }
    }
}
