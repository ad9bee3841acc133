import Dispatch
import RxSwift
import Synchronization
import TestSupport
import Testing

@testable import RxTest

private actor Ledger {
    private let executor: ExploredExecutor
    private(set) var total = 0

    init(_ executor: ExploredExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func add(_ amount: Int) { total += amount }
}

@Suite struct ExploredExecutorTests {
    private func failure(_ body: @escaping (ExploredWorld) -> Void) -> String? {
        try! Exploration(schedules: 200, seed: 1, body).report(replaying: nil)
    }

    @Test func flatMapAsyncInWorldRunsOnThreadsOfWorld() {
        let text = failure { world in
            let numbers = PublishSubject<Int>()
            let doubled = world.record(numbers.flatMapAsync { $0 * 2 })
            world.thread("a") { numbers.onNext(1) }
            world.thread("b") { numbers.onNext(2) }
            world.finally { doubled.elements.sorted() == [2, 4] }
        }
        #expect(text == nil)
    }

    @Test func flatMapAsyncThatAssumesOrderIsFound() {
        let text = failure { world in
            let numbers = PublishSubject<Int>()
            let doubled = world.record(numbers.flatMapAsync { $0 * 2 })
            world.thread("a") {
                numbers.onNext(1)
                numbers.onNext(2)
            }
            world.finally { doubled.elements == [2, 4] }
        }
        #expect(text?.contains("the condition of world.finally") == true)
    }

    @Test func valuesReadOnExecutorOfWorldArriveInOrder() {
        let text = failure { world in
            let numbers = PublishSubject<Int>()
            let values = numbers.values
            let received = PublishSubject<Int>()
            let record = world.record(received)
            let reader = world.executor("reader")
            world.thread("a") {
                Task(executorPreference: reader) {
                    for try await number in values { received.onNext(number) }
                    received.onCompleted()
                }
                numbers.onNext(1)
                numbers.onNext(2)
                numbers.onCompleted()
            }
            world.finally { record.elements == [1, 2] && record.events.count == 3 }
        }
        #expect(text == nil)
    }

    @Test func actorWithExecutorOfWorldRunsItsSchedulersJobs() {
        let text = failure { world in
            let numbers = PublishSubject<Int>()
            let ledger = Ledger(world.executor("ledger"))
            let totals = world.record(
                numbers.observe(on: ActorScheduler(ledger)).map { number in
                    ledger.assumeIsolated { ledger in
                        ledger.add(number)
                        return ledger.total
                    }
                })
            world.thread("a") { numbers.onNext(1) }
            world.thread("b") { numbers.onNext(2) }
            world.finally { totals.elements.last == 3 }
        }
        #expect(text == nil)
    }

    @Test func jobEnqueuedByJobAfterRunRunsAfterIt() throws {
        let ended = Mutex<ExploredExecutor?>(nil)
        #expect(failure { world in ended.withLock { $0 = world.executor("late") } } == nil)
        let executor = try #require(ended.withLock { $0 })
        let log = Log()
        let isDone = DispatchSemaphore(value: 0)
        Task(executorPreference: executor) {
            log("a begins")
            Task(executorPreference: executor) {
                log("b")
                isDone.signal()
            }
            log("a ends")
        }
        isDone.wait()
        #expect(log.entries == ["a begins", "a ends", "b"])
    }

    @Test func taskStartedOnForeignThreadFailsExplorationAndRuns() throws {
        let started = Log()
        let ran = Log()
        let text = failure { world in
            let reader = world.executor("reader")
            world.thread("a") {
                let isStarted = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    started("started")
                    Task(executorPreference: reader) { ran("ran") }
                    isStarted.signal()
                }
                isStarted.wait()
            }
        }
        #expect(try #require(text).contains("was resumed on a thread that the world does not control"))
        #expect(started.entries.count > 0)
        #expect(ran.entries.count == started.entries.count)
    }
}
