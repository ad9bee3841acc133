import TestSupport
import Testing

@testable import RxSwift

struct CheckpointTests {
    /// Trails are global to the process, so these tests use their own error type.
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

    @Test func errorIsFreedAfterTrailIsRead() {
        weak var object: Failure?
        weak var held: Failure?
        do {
            let (failure, inBox) = (Failure(), Failure())
            (object, held) = (failure, inBox)
            #expect(trail({ $0.checkpoint("a") }, failure) == ["a"])
            #expect(trail({ $0.checkpoint("b") }, Boxed(failure: inBox)) == ["b"])
        }
        #expect(object == nil)
        #expect(held == nil)
    }

    private struct Boxed: Error {
        let failure: Failure
    }

    @Test func freedErrorsAreRemovedFromTrails() {
        /// Retains the memory of a freed error, so that no other error gets the same address.
        struct Place {
            unowned let error: Failure
        }
        var (trails, places, most) = (Trails(), [Place](), 0)
        for _ in 0..<2_000 {
            let failure = Failure()
            places.append(Place(error: failure))
            _ = trails.add("a", failure)
            most = max(most, trails.of.count)
        }
        #expect(most <= 65)
    }

    @Test func eachOfManyLivingErrorsHasItsTrail() {
        let failures = (0..<200).map { _ in Failure() }
        for (number, failure) in failures.enumerated() { _ = trail({ $0.checkpoint("\(number)") }, failure) }
        #expect(failures.flatMap { Checkpoint.trail(of: $0) } == (0..<200).texts)
    }

    @Test func errorReusingAnAddressHasItsOwnTrail() {
        for turn in 0..<1_000 {
            #expect(trail({ $0.checkpoint("\(turn)") }, TestError.a) == ["\(turn)"])
            #expect(trail({ $0.map { $0 } }, Boxed(failure: Failure())) == [])
        }
    }
}
