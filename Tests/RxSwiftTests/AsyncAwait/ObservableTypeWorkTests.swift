import RxSwift
import TestSupport
import Testing

struct ObservableTypeWorkTests {
    @Test func returningCompletesAfterTheElements() async throws {
        let numbers = Observable<Int>.create { observer in
            observer.onNext(1)
            await Task.yield()
            observer.onNext(2)
        }
        #expect(try await numbers.toArray().value == [1, 2])
    }

    @Test func throwingEndsWithTheError() async {
        let log = Log()
        let numbers = Observable<Int>.create(detached: true, priority: .high) { observer in
            observer.onNext(1)
            try await Task.sleep(nanoseconds: 1)
            throw TestError.a
        }
        await #expect(throws: TestError.a) { try await numbers.do(onNext: { log($0) }).toArray().value }
        #expect(log.text == "1")
    }

    @Test func cancellationErrorThrownByWorkIsSent() async {
        let numbers = Observable<Int>.create { _ in
            await Task.yield()
            throw CancellationError()
        }
        await #expect(throws: CancellationError.self) { try await numbers.toArray().value }
    }

    @Test func eachSubscriptionRunsWork() async throws {
        let log = Log()
        let numbers = Observable<Int>.create { observer in
            await Task.yield()
            log("work")
        }
        _ = try await numbers.toArray().value
        _ = try await numbers.toArray().value
        #expect(log.text == "work work")
    }

    @Test func disposalCancelsTheTaskAndSilencesIt() async {
        let log = Log()
        let (ended, end) = AsyncStream<Void>.makeStream()
        let numbers = Observable<Int>.create { observer in
            while !Task.isCancelled { await Task.yield() }
            observer.onNext(1)
            end.yield()
        }
        numbers.note(in: log).dispose()
        for await _ in ended { break }
        #expect(log.text == "")
    }

    @Test func aTerminalEventFromTheBodyEndsTheTask() async {
        let (log, tracker) = (Log(), LifetimeTracker())
        let (subscribed, go) = AsyncStream<Void>.makeStream()
        func numbers(_ held: LifetimeTracker.Tracked) -> Observable<Int> {
            .create { observer in
                // After this wait, the subscription holds the task and can cancel it.
                for await _ in subscribed { break }
                observer.onError(TestError.b)
                log("cancelled: \(Task.isCancelled)")
                await Task.yield()
                withExtendedLifetime(held) {}
                throw TestError.c
            }
        }
        let subscription = numbers(tracker.make()).note(in: log)
        go.yield()
        // The task retains `held` until the task ends.
        await until { tracker.live == 0 }
        #expect(log.text == "error(b) cancelled: true")
        subscription.dispose()
    }

    @Test func traitsAreCreatedFromAsyncWork() async throws {
        #expect(try await Maybe<Int>.create { 5 }.value == 5)
        #expect(try await Maybe<Int>.create { nil }.value == nil)
        try await Completable.create { await Task.yield() }.value
        await #expect(throws: TestError.a) {
            try await Maybe<Int>.create { () async throws -> Int? in throw TestError.a }.value
        }
        await #expect(throws: TestError.b) {
            try await Completable.create { () async throws -> Void in throw TestError.b }.value
        }
        var taken: [Int] = []
        let numbers = Infallible<Int>.create { observer in
            observer(.next(1))
            await Task.yield()
            observer(.next(2))
        }
        for await number in numbers.values { taken.append(number) }
        #expect(taken == [1, 2])
    }

    @Test func nothingIsKeptAfterTheEnd() async throws {
        let tracker = LifetimeTracker()
        let tracked = tracker.make()
        let elements = Observable<LifetimeTracker.Tracked>.create { [tracked] observer in
            await Task.yield()
            observer.onNext(tracker.make(tracked.value + 1))
        }
        _ = try await elements.toArray().value
        await until { tracker.live == 1 }
        withExtendedLifetime((tracked, elements)) {}
    }

    @Test func sendWithoutBoundThrowsAfterEnd() async {
        let (sent, (ended, end)) = (Guarded(0), AsyncStream<Void>.makeStream())
        let numbers = Observable<Int>.create { observer in
            defer { end.yield() }
            for number in 0..<10_000 {
                try await observer.send(number)
                sent.withLock { $0 += 1 }
            }
        }
        let subscription = numbers.take(1).subscribe()
        for await _ in ended { break }
        #expect(sent.withLock { $0 } == 1)
        subscription.dispose()
    }

    enum Trace {
        @TaskLocal static var id = "none"
    }

    @Test func taskInheritsTaskLocalsUnlessDetached() async throws {
        let log = Log()
        try await Trace.$id.withValue("here") {
            for isDetached in [nil, true] as [Bool?] {
                let (observable, infallible): (Observable<String>, Infallible<String>)
                if let isDetached {
                    observable = .create(detached: isDetached) { await Self.tell($0.onNext) }
                    infallible = .create(detached: isDetached) { send in await Self.tell { send(.next($0)) } }
                } else {
                    observable = .create { await Self.tell($0.onNext) }
                    infallible = .create { send in await Self.tell { send(.next($0)) } }
                }
                log(try await observable.toArray().value)
                for await id in infallible.values { log(id) }
            }
        }
        #expect(log.text == #"["here"] here ["none"] none"#)
    }

    @Test func traitTaskInheritsTaskLocalsUnlessDetached() async throws {
        let (log, work) = (Log(), { @Sendable () async -> String in await Self.told() })
        try await Trace.$id.withValue("here") {
            for isDetached in [false, true] {
                log(try await Single.create(detached: isDetached, work: work).value)
                log(try await Maybe.create(detached: isDetached) { await work() }.value ?? "nothing")
                try await Completable.create(detached: isDetached) { log(await work()) }.value
            }
        }
        #expect(log.text == "here here here none none none")
    }

    @Test func traitTaskIsNotDetachedByDefault() async throws {
        let (log, work) = (Log(), { @Sendable () async -> String in await Self.told() })
        try await Trace.$id.withValue("here") {
            log(try await Single.create(work: work).value)
            log(try await Maybe.create { await work() }.value ?? "nothing")
            try await Completable.create { log(await work()) }.value
        }
        #expect(log.text == "here here here")
    }

    private static func told() async -> String {
        await Task.yield()
        return Trace.id
    }

    private static func tell(_ tell: (String) -> Void) async {
        await Task.yield()
        tell(Trace.id)
    }

    @Test func infallibleDropsElementsAfterCompletion() async {
        let log = Log()
        let numbers = Infallible<Int>.create { observer in
            await Task.yield()
            observer(.next(1))
            observer(.completed)
            observer(.next(2))
        }
        for await number in numbers.values { log(number) }
        #expect(log.text == "1")
    }
}
