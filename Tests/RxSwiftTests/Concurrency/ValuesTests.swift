import RxSwift
import TestSupport
import Testing

struct ValuesTests {
    @Test func aLoopTakesAllElements() async throws {
        var taken: [Int] = []
        for try await element in Observable.of(1, 2, 3).values { taken.append(element) }
        #expect(taken == [1, 2, 3])
        taken = []
        for await element in Infallible.of(4, 5).values { taken.append(element) }
        #expect(taken == [4, 5])
    }

    @Test func anErrorIsThrownAfterTheElements() async {
        var taken: [Int] = []
        await #expect(throws: TestError.a) {
            for try await element in Observable.just(1).concat(Observable.error(TestError.a)).values { taken.append(element) }
        }
        #expect(taken == [1])
    }

    @Test func leavingTheLoopDisposes() async throws {
        let log = Log()
        func firstOfMany() async throws {
            let source = Observable.just(1).concat(Observable.never()).do(onDispose: { log("disposed") })
            for try await _ in source.values { break }
        }
        try await firstOfMany()
        #expect(log.text == "disposed")
    }

    @Test func cancellingTheTaskDisposes() async throws {
        let log = Log()
        let (started, start) = AsyncStream<Void>.makeStream()
        let task = Task {
            let source = Observable<Int>.create { _ in
                start.yield()
                return Disposables.create { log("disposed") }
            }
            for try await _ in source.values {}
            log("left")
        }
        for await _ in started { break }
        task.cancel()
        try await task.value
        #expect(log.text == "disposed left")
    }
}
