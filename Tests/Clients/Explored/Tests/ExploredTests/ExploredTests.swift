import RxRelay
import RxSwift
import RxTest
import Testing

@Suite struct ExploredTests {
    @Test func schedulersOfLibraryAreControlled() {
        explore(schedules: 100) { world in
            let numbers = PublishSubject<Int>()
            let pool = PthreadPoolScheduler(name: "pool", maxThreads: 2)
            let onQueue = world.record(
                numbers.observe(on: SerialDispatchQueueScheduler(internalSerialQueueName: "queue")), as: "queue")
            let onThread = world.record(numbers.observe(on: PthreadScheduler(name: "thread")), as: "thread")
            let onPool = world.record(numbers.observe(on: pool), as: "pool")
            let later = world.record(numbers.delay(.milliseconds(1), scheduler: pool), as: "later")
            world.thread("a") { numbers.onNext(1) }
            world.thread("b") { numbers.onNext(2) }
            world.finally {
                [onQueue, onThread, onPool, later].allSatisfy { $0.elements.sorted() == [1, 2] }
            }
        }
    }

    @Test func checkThenActIsFound() {
        withKnownIssue {
            explore { world in
                let count = BehaviorRelay(value: 0)
                world.thread("a") { count.accept(count.value + 1) }
                world.thread("b") { count.accept(count.value + 1) }
                world.finally { count.value == 2 }
            }
        }
    }
}
