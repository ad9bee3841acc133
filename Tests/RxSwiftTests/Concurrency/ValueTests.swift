import RxSwift
import TestSupport
import Testing

struct ValueTests {
    @Test func theEventIsReturnedOrThrown() async throws {
        #expect(try await Single.just(1).value == 1)
        #expect(try await Maybe.just(2).value == 2)
        #expect(try await Maybe<Int>.empty().value == nil)
        try await Completable.empty().value
        await #expect(throws: TestError.a) { try await Single<Int>.error(TestError.a).value }
        await #expect(throws: TestError.b) { try await Maybe<Int>.error(TestError.b).value }
        await #expect(throws: TestError.c) { try await Completable.error(TestError.c).value }
    }

    @Test func cancellationDisposesAndThrows() async {
        let log = Log()
        let (started, start) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await Single<Int>.create { _ in
                start.yield()
                return Disposables.create { log("torn") }
            }.value
        }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.text == "torn")
    }

    @Test func aCancelledTaskDoesNotWait() async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await Single<Int>.never().value
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func anEventThatRacesCancellationResumesOnce() async {
        for round in 0..<2_000 {
            let subject = PublishSubject<Int>()
            let (started, start) = AsyncStream<Void>.makeStream()
            let task = Task {
                try await subject.asSingle().do(onSubscribed: { start.yield() }).value
            }
            for await _ in started { break }
            let push = Task.detached {
                subject.onNext(round)
                subject.onCompleted()
            }
            task.cancel()
            await push.value
            let result = await task.result
            switch result {
            case .success(let element): #expect(element == round)
            case .failure(let error): #expect(error is CancellationError)
            }
        }
    }
}
