import RxSwift
import TestSupport
import Testing

struct ObservableTypeAsyncSelectorsTests {
    private final class Desk: Sendable {
        private let papers = Guarded<[Int: CheckedContinuation<Int, any Error>]>([:])
        let log = Log()

        func work(_ number: Int) async throws -> Int {
            log("+\(number)")
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    papers.withLock { $0[number] = continuation }
                    if Task.isCancelled { drop(number) }
                }
            } onCancel: {
                drop(number)
            }
        }

        func surely(_ number: Int) async -> Int {
            (try? await work(number)) ?? -1
        }

        func finish(_ number: Int, throwing error: (any Error)? = nil) async {
            await until { papers.withLock { $0[number] != nil } }
            let paper = papers.withLock { $0.removeValue(forKey: number) }
            if let error { paper?.resume(throwing: error) } else { paper?.resume(returning: number) }
        }

        func noted(_ text: String) async {
            await until { log.text == text }
        }

        private func drop(_ number: Int) {
            guard let paper = papers.withLock({ $0.removeValue(forKey: number) }) else { return }
            log("x\(number)")
            paper.resume(throwing: CancellationError())
        }
    }

    private let desk = Desk()
    private let numbers = PublishSubject<Int>()
    private var infallible: Infallible<Int> { numbers.asInfallible(onErrorJustReturn: -1) }

    @Test(.notForever, arguments: [false, true]) func flatMapSendsResultsAsTheyCome(isInfallible: Bool) async {
        let results =
            isInfallible ? infallible.flatMapAsync(desk.surely).asObservable() : numbers.flatMapAsync(desk.work)
        let subscription = results.note(in: desk.log, as: "=")
        numbers.onNext(1)
        numbers.onNext(2)
        numbers.onCompleted()
        await desk.finish(2)
        await until { desk.log.text.hasSuffix("=2") }
        await desk.finish(1)
        await until { desk.log.text.hasSuffix("=completed") }
        #expect(desk.log.entries.suffix(3) == ["=2", "=1", "=completed"])
        subscription.dispose()
    }

    @Test(.notForever) func flatMapAsyncFailsWithFirstErrorAndCancelsRemainingTasks() async {
        let subscription = numbers.flatMapAsync(desk.work).note(in: desk.log, as: "=")
        numbers.onNext(1)
        await desk.noted("+1")
        numbers.onNext(2)
        await desk.finish(2, throwing: TestError.a)
        await until { desk.log.text.contains("x1") }
        #expect(desk.log.text == "+1 +2 =error(a) x1")
        subscription.dispose()
    }

    @Test(.notForever) func flatMapAsyncRunsAtMostMaxConcurrentTasks() async {
        let subscription = numbers.flatMapAsync(maxConcurrent: 2, desk.work).note(in: desk.log, as: "=")
        numbers.onNext(1)
        await desk.noted("+1")
        numbers.onNext(2)
        await desk.noted("+1 +2")
        numbers.onNext(3)
        numbers.onCompleted()
        await desk.finish(2)
        await desk.noted("+1 +2 =2 +3")
        await desk.finish(3)
        await until { desk.log.text.hasSuffix("=3") }
        await desk.finish(1)
        await desk.noted("+1 +2 =2 +3 =3 =1 =completed")
        subscription.dispose()
    }

    @Test func flatMapWithConcurrencyOfZeroStopsTheProcess() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Observable.of(1).flatMapAsync(maxConcurrent: 0) { $0 }
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("count must be at least 1 (flatMapAsync, maxConcurrent: 0)"))
    }

    @Test(.notForever) func flatMapMayRunOneAtATime() async {
        let subscription = numbers.flatMapAsync(maxConcurrent: 1, desk.work).note(in: desk.log, as: "=")
        numbers.onNext(1)
        numbers.onNext(2)
        numbers.onCompleted()
        await desk.finish(1)
        await desk.finish(2)
        await until { desk.log.entries.count == 5 }
        #expect(desk.log.text == "+1 =1 +2 =2 =completed")
        subscription.dispose()
    }

    @Test(.notForever, arguments: [false, true]) func concatMapKeepsTheOrderAndRunsOneAtATime(isInfallible: Bool) async
    {
        let results =
            isInfallible ? infallible.concatMapAsync(desk.surely).asObservable() : numbers.concatMapAsync(desk.work)
        let subscription = results.note(in: desk.log, as: "=")
        numbers.onNext(1)
        numbers.onNext(2)
        numbers.onCompleted()
        await desk.noted("+1")
        await desk.finish(1)
        await desk.finish(2)
        await desk.noted("+1 =1 +2 =2 =completed")
        subscription.dispose()
    }

    @Test(.notForever, arguments: [false, true]) func flatMapLatestCancelsTheTaskBefore(isInfallible: Bool) async {
        let results =
            isInfallible
            ? infallible.flatMapLatestAsync(desk.surely).asObservable() : numbers.flatMapLatestAsync(desk.work)
        let subscription = results.note(in: desk.log, as: "=")
        numbers.onNext(1)
        await desk.noted("+1")
        await until { desk.log.text == "+1" }
        numbers.onNext(2)
        await until { desk.log.entries.contains("x1") && desk.log.entries.contains("+2") }
        numbers.onCompleted()
        await desk.finish(2)
        await until { desk.log.text.hasSuffix("=2 =completed") }
        #expect(desk.log.entries.count == 5)
        subscription.dispose()
    }

    @Test(.notForever, arguments: 0..<4) func disposalCancels(_ operator: Int) async {
        let results =
            switch `operator` {
            case 0: numbers.flatMapAsync(desk.work)
            case 1: numbers.concatMapAsync(desk.work)
            case 2: numbers.flatMapAsync(maxConcurrent: 3, desk.work)
            default: numbers.flatMapLatestAsync(desk.work)
            }
        let subscription = results.note(in: desk.log, as: "=")
        numbers.onNext(1)
        await desk.noted("+1")
        subscription.dispose()
        await desk.noted("+1 x1")
    }

    @Test func asyncSelectorsExistForTraitsAndInfallible() async throws {
        @Sendable func next(_ number: Int) async -> Int { number + 1 }
        #expect(try await Single.just(1).flatMapAsync { await next($0) }.value == 2)
        #expect(try await Maybe.just(1).flatMapAsync { await next($0) }.value == 2)
        #expect(try await Maybe<Int>.empty().flatMapAsync { await next($0) }.value == nil)
        await #expect(throws: TestError.a) {
            try await Single.just(1).flatMapAsync { _ async throws -> Int in throw TestError.a }.value
        }
        var taken: [Int] = []
        for await number in Infallible.of(1, 2).concatMapAsync({ await next($0) }).values { taken.append(number) }
        for await number in Infallible.just(3).flatMapAsync({ await next($0) }).flatMapLatestAsync({ await next($0) })
            .values
        {
            taken.append(number)
        }
        #expect(taken == [2, 3, 5])
    }
}
