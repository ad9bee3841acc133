import Dispatch
import RxSwift
import TestSupport
import Testing

/// An element, the end and a cancellation race to resume a task. If two of them resume it, the process crashes. If none
/// does, the test hangs.
@Suite(.serialized, .notForever)
struct AwaitRaceTests {
    private static let batches = isSanitized ? 5 : 20
    private static let batch = 500

    @Test func singlesResumeOnce() async {
        await race { observer in
            let value = try await Single<Int>.create { single in
                observer.open { event in
                    switch event {
                    case .next: single(.success(1))
                    case .error(let error): single(.failure(error))
                    case .completed: break
                    }
                }
            }.value
            #expect(value == 1)
        } second: {
            $0.send(.error(TestError.a))
        }
    }

    private enum Trace {
        @TaskLocal static var id = 0
    }

    /// Swift acquires a task's lock to run a cancellation handler, and to set a task-local value. `second` sets one
    /// while it holds `lock`, and the teardown of `first` waits for `lock`. So the handler must not run this teardown.
    @Test(arguments: [false, true])
    func teardownMayWaitForLockHeldDuringSubscription(inALoop: Bool) async {
        let (lock, isSubscribing) = (DispatchSemaphore(value: 1), Guarded(false))
        let (tearing, cancelled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let first = Observable<Int>.never().do(onDispose: {
            tearing.signal()
            lock.wait()
            lock.signal()
        })
        let second = Observable<Int>.create { _ in
            lock.wait()
            isSubscribing.withLock { $0 = true }
            _ = tearing.wait(timeout: .now() + .milliseconds(200))
            Trace.$id.withValue(1) {}
            lock.signal()
            return Disposables.create()
        }
        let source = Observable.merge(first, second)
        let task = Task {
            if inALoop {
                for try await _ in source.values(buffering: .unbounded) {}
            } else {
                _ = try await source.take(1).asSingle().value
            }
        }
        await until { isSubscribing.withLock { $0 } }
        // Cancels on a new thread, because all threads of Swift's pool may be busy.
        _ = PthreadScheduler().schedule(()) { _ in
            task.cancel()
            cancelled.signal()
            return Disposables.create()
        }
        let hasReturned = cancelled.wait(timeout: .now() + 30) == .success
        #expect(hasReturned)
        guard hasReturned else { return }
        _ = await task.result
        #expect(tearing.wait(timeout: .now()) == .success)
    }

    @Test func maybesResumeOnce() async {
        await race { observer in
            let value = try await Maybe<Int>.create { maybe in
                observer.open { event in
                    switch event {
                    case .next: maybe(.success(1))
                    case .error(let error): maybe(.error(error))
                    case .completed: maybe(.completed)
                    }
                }
            }.value
            if value == nil { throw TestError.a }
        } second: {
            $0.send(.completed)
        }
    }

    @Test func completablesResumeOnce() async {
        await race { observer in
            try await Completable.create { completable in
                observer.open { event in
                    switch event {
                    case .next: completable(.completed)
                    case .error(let error): completable(.error(error))
                    case .completed: break
                    }
                }
            }.value
        } second: {
            $0.send(.error(TestError.a))
        }
    }

    @Test func loopsOverValuesEndOnce() async {
        await race { observer in
            var taken = 0
            let source = Observable<Int>.create { sink in observer.open { sink.on($0) } }
            do {
                for try await element in source.values {
                    #expect(element == 1)
                    taken += 1
                }
            } catch {
                if taken == 0 { throw error }
            }
            try conclude(taken)
        } second: {
            $0.send(.error(TestError.a))
        }
    }

    @Test func loopsOverBufferedInfallibleValuesEndOnce() async {
        await race { observer in
            var taken = 0
            let source = Infallible<Int>.create { sink in
                observer.open { event in sink(event.element.map { .next($0) } ?? .completed) }
            }
            for await element in source.values(buffering: .newest(1)) {
                #expect(element == 1)
                taken += 1
            }
            try conclude(taken)
        } second: {
            $0.send(.completed)
        }
    }

    private func conclude(_ taken: Int) throws {
        #expect(taken <= 1)
        if taken == 0 { throw Task.isCancelled ? CancellationError() : TestError.a as any Error }
    }

    /// Runs the races. `wait` makes a sequence from the round and awaits it. A thread of its own calls `second`.
    private func race(
        _ wait: @escaping @Sendable (Round) async throws -> Void, second: @escaping @Sendable (Round) -> Void
    ) async {
        var outcomes: [String: Int] = [:]
        for _ in 0..<Self.batches {
            let rounds = (0..<Self.batch).map { _ in
                let round = Round()
                round.task = Task.detached {
                    do {
                        try await wait(round)
                        return "element"
                    } catch {
                        return "\(error)"
                    }
                }
                return round
            }
            for round in rounds { await until { round.isOpen } }
            await contest(
                for: rounds,
                { $0.task?.cancel() },
                { round in round.mutex.withLock { round.send(.next(1)) } },
                { round in round.mutex.withLock { second(round) } })
            for round in rounds {
                await outcomes[round.task!.value, default: 0] += 1
                round.send(.completed)
                await until { round.teardowns > 0 }
                #expect(round.teardowns == 1)
            }
        }
        // If an outcome is missing, the threads do not race.
        #expect(Set(outcomes.keys) == ["element", "a", "CancellationError()"], "\(outcomes)")
    }
}

/// One race's objects. `task` is set before the threads contend; the other properties are thread-safe.
private final class Round: @unchecked Sendable {
    let mutex = RecursiveMutex()
    var task: Task<String, Never>?
    private let observer = Guarded<((Event<Int>) -> Void)?>(nil)
    private let torn = Guarded(0)

    var isOpen: Bool { observer.withLock { $0 != nil } }
    var teardowns: Int { torn.withLock { $0 } }

    func open(_ observer: @escaping (Event<Int>) -> Void) -> any Disposable {
        self.observer.withLock { $0 = observer }
        return Disposables.create { [self] in
            mutex.withLock {}
            torn.withLock { $0 += 1 }
        }
    }

    func send(_ event: Event<Int>) {
        let observer = observer.withLock { $0 }
        observer?(event)
    }
}
