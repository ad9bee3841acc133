import RxSwift
import TestSupport
import Testing

@Suite struct InfallibleValuesTests {
    @Test func valuesBufferingNewestKeepsLastElements() async throws {
        #expect(try await taken(.newest(2)) == [3, 4])
    }

    @Test func valuesBufferingOldestKeepsFirstElements() async throws {
        #expect(try await taken(.oldest(2)) == [1, 2])
    }

    @Test func valuesBufferingUnboundedKeepsAllElements() async throws {
        #expect(try await taken(.unbounded) == [1, 2, 3, 4])
    }

    @Test func errorBehindDroppedElementsIsThrown() async {
        await #expect(throws: TestError.a) {
            for try await _ in Observable.of(1, 2).concat(Observable.error(TestError.a)).values(buffering: .newest(1)) {
            }
        }
    }

    @Test func infallibleCancelledEndsLoopWithoutError() async {
        let task = Task { () -> Int in
            withUnsafeCurrentTask { $0?.cancel() }
            var count = 0
            for await _ in Infallible<Int>.never().values(buffering: .newest(1)) { count += 1 }
            return count
        }
        #expect(await task.value == 0)
    }

    @Test func infallibleLoopLeftDisposesOfSource() async {
        let source = PublishSubject<Int>()
        for await element in source.startWith(1).asInfallible(onErrorJustReturn: 0).values(buffering: .newest(1)) {
            #expect(element == 1)
            #expect(source.hasObservers)
            break
        }
        #expect(!source.hasObservers)
    }

    @MainActor @Test func infallibleLoopOfMainActorSubscribesOnIt() async {
        nonisolated(unsafe) var subscribed = 0
        let source = Infallible.of(1).do(onSubscribe: {
            MainActor.assertIsolated()
            subscribed += 1
        })
        for await _ in source.values(buffering: .newest(1)) {}
        #expect(subscribed == 1)
    }

    @Test func infallibleFailingInSpiteOfPromiseEndsLoop() async {
        var taken: [Int] = []
        let source = Infallible.of(1, 2).do(onNext: { if $0 == 2 { throw TestError.a } })
        for await element in source.values(buffering: .newest(8)) { taken.append(element) }
        #expect(taken == [1])
    }

    /// Returns the elements that a loop receives if all four are sent before the loop waits.
    private func taken(_ buffering: Buffering) async throws -> [Int] {
        var taken: [Int] = []
        for await element in Infallible.of(1, 2, 3, 4).values(buffering: buffering) { taken.append(element) }
        var others: [Int] = []
        for try await element in Observable.of(1, 2, 3, 4).values(buffering: buffering) { others.append(element) }
        #expect(others == taken)
        others = []
        for try await element in Single.just(4).values(buffering: buffering) { others.append(element) }
        #expect(others == [4])
        return taken
    }
}
