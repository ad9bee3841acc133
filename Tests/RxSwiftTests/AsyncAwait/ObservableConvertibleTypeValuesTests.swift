import RxSwift
import TestSupport
import Testing

struct ObservableConvertibleTypeValuesTests {
    @Test func loopReceivesAllElements() async throws {
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
            for try await element in Observable.just(1).concat(Observable.error(TestError.a)).values {
                taken.append(element)
            }
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

    @Test func cancellingTheTaskDisposesAndThrows() async {
        let log = Log()
        let (started, start) = AsyncStream<Void>.makeStream()
        let task = Task {
            let source = Observable<Int>.create { _ in
                start.yield()
                return Disposables.create { log("disposed") }
            }
            do { for try await _ in source.values {} } catch { log("\(error)") }
        }
        for await _ in started { break }
        task.cancel()
        await task.value
        #expect(log.text == "disposed CancellationError()")
    }

    @Test func cancelledLoopReceivesWaitingElementsAndThrows() async {
        let task = Task {
            var taken: [Int] = []
            let elements = Observable.of(1, 2, 3).concat(Observable.never()).values
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) {
                for try await element in elements { taken.append(element) }
            }
            return taken
        }
        #expect(await task.value == [1, 2, 3])
    }

    @Test func aLoopThatCannotThrowEndsWithTheCancellation() async {
        let task = Task {
            var taken: [Int] = []
            let elements = Infallible.of(1, 2, 3).concat(Infallible.never()).values
            withUnsafeCurrentTask { $0?.cancel() }
            for await element in elements { taken.append(element) }
            return taken
        }
        #expect(await task.value == [1, 2, 3])
    }

    @Test func leavingALoopThatCannotThrowDisposes() async {
        let log = Log()
        func firstOfMany() async {
            let source = Infallible.just(1).concat(Infallible.never()).do(onDispose: { log("disposed") })
            for await _ in source.values { break }
        }
        await firstOfMany()
        #expect(log.text == "disposed")
    }

    @Test func cancellingALoopThatCannotThrowDisposesBeforeItEnds() async {
        let log = Log()
        let task = Task {
            let elements = Infallible<Int>.never().do(onDispose: { log("disposed") }).values
            withUnsafeCurrentTask { $0?.cancel() }
            for await _ in elements {}
            log("over")
        }
        await task.value
        #expect(log.text == "disposed over")
    }

    @Test func completedValuesIgnoreLaterCancellation() async throws {
        let task = Task {
            let elements = Observable.of(1, 2, 3).values
            withUnsafeCurrentTask { $0?.cancel() }
            var taken: [Int] = []
            for try await element in elements { taken.append(element) }
            return taken
        }
        #expect(try await task.value == [1, 2, 3])
    }

    @Test func aTraitsLoopThrowsTheCancellation() async {
        let task = Task {
            let elements = Single<Int>.never().values
            withUnsafeCurrentTask { $0?.cancel() }
            for try await _ in elements {}
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func cancellationDisposesBeforeItReturns() async {
        let log = Log()
        let source = Observable<Int>.never().noteLifetime(in: log, as: "source")
        let task = Task { for try await _ in source.values {} }
        await until { log.text == "source+" }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.text == "source+ source-")
    }

    @Test func loopOverFailingInfallibleEnds() async {
        var taken: [Int] = []
        let source = Infallible.of(1, 2).do(onNext: { if $0 == 2 { throw TestError.a } })
        for await element in source.values { taken.append(element) }
        #expect(taken == [1])
    }
}
