import Dispatch
import RxSwift
import TestSupport
import Testing

/// `value` has no lock, so ThreadSanitizer reports a scheduler that does not order the actions that change `value`.
final class Unlocked<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

@Suite struct SchedulerOrderTests {
    @Test("begins actions in the order of scheduling", arguments: SchedulerRow.all(.fifo))
    func order(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let ran = Unlocked<[Int]>([])
        for index in 0..<2_000 { trial.schedule { ran.value.append(index) } }
        try trial.settle()
        #expect(ran.value == Array(0..<2_000))
    }

    @Test("begins the actions of each thread in their order", arguments: SchedulerRow.all(.fifo))
    func orderOfThreads(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let ran = (0..<4).map { _ in Unlocked<[Int]>([]) }
        try runConcurrently(threads: 4) { thread in
            for index in 0..<500 { trial.schedule { ran[thread].value.append(index) } }
        }
        try trial.settle()
        for thread in 0..<4 { #expect(ran[thread].value == Array(0..<500)) }
    }

    @Test("runs one action at a time", arguments: SchedulerRow.all(.serial))
    func serial(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let place = Overlap()
        try runConcurrently(threads: 4) { _ in
            for _ in 0..<500 { trial.schedule { place.pass() } }
        }
        try trial.settle()
        #expect(place.found == 0)
    }

    @Test(
        "runs two actions at a time where it does not promise otherwise",
        arguments: SchedulerRow.all(without: [.serial, .trampolined]))
    func concurrent(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let places = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        for index in 0..<2 {
            trial.schedule {
                places[index].signal()
                if places[1 - index].wait(timeout: .now() + 30) == .success { trial.end() }
            }
        }
        try trial.wait(ends: 2)
    }

    @Test("runs each action exactly once", arguments: SchedulerRow.all)
    func exactlyOnce(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let runs = Guarded(Array(repeating: 0, count: 2_000))
        try runConcurrently(threads: 4) { thread in
            for index in 0..<500 {
                trial.schedule {
                    runs.withLock { $0[thread * 500 + index] += 1 }
                    trial.end()
                }
            }
        }
        try trial.wait(ends: 2_000)
        #expect(runs.withLock { $0.allSatisfy { $0 == 1 } })
    }

    @Test("runs nested actions after their action, in order", arguments: SchedulerRow.all(.trampolined))
    func reentrancy(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let log = Log()
        trial.schedule {
            log("a")
            trial.schedule {
                log("b")
                trial.schedule {
                    log("d")
                    trial.end()
                }
            }
            trial.schedule { log("c") }
            log("a'")
        }
        try trial.wait()
        #expect(log.text == "a a' b c d")
    }

    @Test("runs all actions that actions schedule", arguments: SchedulerRow.all)
    func tree(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        @Sendable func grow(_ depth: Int) {
            trial.end()
            if depth == 0 { return }
            trial.schedule { grow(depth - 1) }
            trial.schedule { grow(depth - 1) }
        }
        trial.schedule { grow(7) }
        try trial.wait(ends: 255)
    }

    /// Omits the concurrent scheduler, because each chain on it has its own queue.
    @Test(
        "delivers the events of two chains in the order in which they were pushed",
        arguments: SchedulerRow.all(.fifo).filter { $0.name != "ConcurrentDispatchQueueScheduler" })
    func chains(_ row: SchedulerRow) throws {
        let trial = SchedulerTrial(row)
        let log = Log()
        let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscriptions = [(a, "a"), (b, "b")].map { source, name in
            source.observe(on: trial.scheduler).subscribe(onNext: { log("\(name)\($0)") }, onCompleted: { trial.end() })
        }
        // All elements wait for the end of this action.
        trial.schedule {
            a.onNext(1)
            b.onNext(1)
            a.onNext(2)
            b.onNext(2)
            a.onNext(3)
            a.onCompleted()
            b.onCompleted()
        }
        try trial.wait(ends: 2)
        #expect(log.text == "a1 b1 a2 b2 a3")
        subscriptions.forEach { $0.dispose() }
    }
}
