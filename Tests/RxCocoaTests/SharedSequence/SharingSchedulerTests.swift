import Dispatch
import Foundation
import RxCocoa
import RxTest
import TestSupport
import Testing

struct SharingSchedulerTests {
    private func isMade(_ scheduler: TestScheduler) -> Bool {
        (SharingScheduler.make() as? TestScheduler) === scheduler
    }

    @Test func mockAppliesToDriverAndSignal() {
        let time = TestScheduler(initialClock: 0)
        SharingScheduler.mock(scheduler: time) {
            #expect(isMade(time))
            #expect(DriverSharingStrategy.scheduler as? TestScheduler === time)
            #expect(SignalSharingStrategy.scheduler as? TestScheduler === time)
        }
    }

    @Test func mocksNestAndEnd() {
        let (outer, inner) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0))
        SharingScheduler.mock(scheduler: outer) {
            SharingScheduler.mock(scheduler: inner) { #expect(isMade(inner)) }
            #expect(isMade(outer))
            #expect(throws: TestError.a) { try SharingScheduler.mock(scheduler: inner) { throw TestError.a } }
            #expect(isMade(outer))
        }
        #expect(!isMade(outer))
    }

    @Test func aMockMayMakeASchedulerEachTime() {
        // Concurrent tests may use this mock too, so only this thread's calls are logged.
        let (log, mine) = (Log(), ObjectIdentifier(Thread.current))
        SharingScheduler.mock(makeScheduler: {
            if ObjectIdentifier(Thread.current) == mine { log("made") }
            return TestScheduler(initialClock: 0)
        }) {
            let relay = BehaviorRelay(value: 1)
            _ = (relay.asDriver(), relay.asDriver().throttle(.seconds(1)))
        }
        #expect(log.text == "made made made")
    }

    @Test func mockAppliesToOtherThreads() throws {
        // A thread without a task uses the latest mock. A concurrent test may have set a later one, so the test polls.
        let time = TestScheduler(initialClock: 0)
        try SharingScheduler.mock(scheduler: time) {
            let isSeen = try runOnThread { comesTrue { isMade(time) } }
            #expect(isSeen)
        }
    }

    @Test func otherThreadsSeeTheInnerOfTwoMocks() throws {
        let (outer, inner) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0))
        try SharingScheduler.mock(scheduler: outer) {
            try SharingScheduler.mock(scheduler: inner) {
                let isSeen = try runOnThread { comesTrue { isMade(inner) } }
                #expect(isSeen)
            }
        }
    }

    @Test func otherThreadsSeeTheOuterOfTwoMocksAgainOnceTheInnerHasEnded() throws {
        let (outer, inner) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0))
        try SharingScheduler.mock(scheduler: outer) {
            SharingScheduler.mock(scheduler: inner) {}
            let isSeen = try runOnThread { comesTrue { isMade(outer) } }
            #expect(isSeen)
        }
    }

    @Test func otherThreadsSeeTheLaterOfTwoMocksStillOnceTheEarlierHasEnded() throws {
        let (earlier, later) = (TestScheduler(initialClock: 0), TestScheduler(initialClock: 0))
        let (begun, ends, ended) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        startThread {
            SharingScheduler.mock(scheduler: earlier) {
                begun.signal()
                ends.wait()
            }
            ended.signal()
        }
        begun.wait()
        try SharingScheduler.mock(scheduler: later) {
            ends.signal()
            ended.wait()
            let isSeen = try runOnThread { comesTrue { isMade(later) } }
            #expect(isSeen)
        }
    }

    @Test func mockAppliesOnlyToTasksItStarts() async {
        let time = TestScheduler(initialClock: 0)
        let (its, other) = SharingScheduler.mocked(time) {
            (Task { isMade(time) }, Task.detached { isMade(time) })
        }
        #expect(await its.value)
        #expect(await !other.value)
    }

    @Test func mocksThatRaceEachSeeTheirOwn() throws {
        try runConcurrently(threads: 4) { _ in
            for _ in 0..<500 {
                let time = TestScheduler(initialClock: 0)
                SharingScheduler.mock(scheduler: time) {
                    if !isMade(time) { Issue.record("another's mock") }
                }
                if isMade(time) { Issue.record("a mock that has ended") }
            }
        }
    }
}

/// These tests change global state, so each runs in a separate process.
struct SharingSchedulerProcessTests {
    @Test func customSharingSchedulerNeedsNoMainQueue() async {
        await #expect(processExitsWith: .success) {
            // Blocks the main queue.
            await MainActor.run {
                SharingScheduler.use(SerialDispatchQueueScheduler(internalSerialQueueName: "drivers"))
                let (relay, log, done) = (BehaviorRelay(value: 1), Log(), DispatchSemaphore(value: 0))
                let subscription = relay.asDriver().map { $0 * 10 }.drive(onNext: {
                    log($0)
                    if $0 == 20 { done.signal() }
                })
                relay.accept(2)
                precondition(done.wait(timeout: .now() + 30) == .success && log.text == "10 20")
                SharingScheduler.mock(scheduler: TestScheduler(initialClock: 0)) {
                    precondition(SharingScheduler.make() is TestScheduler)
                }
                precondition(SharingScheduler.make() is SerialDispatchQueueScheduler)
                SharingScheduler.use(makeScheduler: { ConcurrentDispatchQueueScheduler(qos: .default) })
                precondition(SharingScheduler.make() is ConcurrentDispatchQueueScheduler)
                subscription.dispose()
            }
        }
    }

    @Test func mockOfThreadIsNotSeenByTask() async {
        await #expect(processExitsWith: .success) {
            SharingScheduler.use(SerialDispatchQueueScheduler(internalSerialQueueName: "drivers"))
            let isOver = DispatchSemaphore(value: 0)
            await withCheckedContinuation { (begun: CheckedContinuation<Void, Never>) in
                startThread {
                    SharingScheduler.mock(scheduler: TestScheduler(initialClock: 0)) {
                        begun.resume()
                        isOver.wait()
                    }
                }
            }
            precondition(SharingScheduler.make() is SerialDispatchQueueScheduler)
            isOver.signal()
        }
    }

    @Test func serverWithoutMainQueueServiceIsWarnedOnce() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                MainQueue.patience = .milliseconds(50)
                await MainActor.run {
                    _ = try? runOnThread {
                        let relay = BehaviorRelay(value: 1)
                        _ = relay.asDriver().drive()
                        _ = PublishRelay<Int>().asSignal().emit()
                        _ = Driver<Int>.interval(.milliseconds(10)).drive()
                        precondition(comesTrue { MainQueue.isJudged })
                        // Gives the sequences time for more warnings.
                        usleep(200_000)
                    }
                }
            })
        let lines = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
        #expect(lines.filter { $0.contains("SharingScheduler.use(_:)") }.count == 1)
    }
}

@MainActor
struct SharingOnTheMainQueueTests {
    private let log = Log()

    @Test func driverDeliversAtOnceOnMainQueue() {
        let relay = BehaviorRelay(value: 1)
        let subscription = relay.asDriver().drive(onNext: { [log] in log($0) })
        relay.accept(2)
        subscription.dispose()
        #expect(log.text == "1 2")
    }

    @Test func elementPushedDuringDeliveryIsDeliveredAfterIt() async {
        let (relay, subscription) = (BehaviorRelay(value: 1), SerialDisposable())
        await withCheckedContinuation { continuation in
            subscription.disposable = relay.asDriver().drive(onNext: { [log] element in
                if element == 1 { relay.accept(2) }
                log(element)
                if element == 2 { continuation.resume() }
            })
            log("driven")
        }
        subscription.dispose()
        #expect(log.text == "1 driven 2")
    }

    @Test func elementFromAnotherThreadIsDeliveredOnMainQueue() async {
        let (relay, subscription) = (PublishRelay<Int>(), SerialDisposable())
        let isMain = await withCheckedContinuation { continuation in
            subscription.disposable = relay.asSignal().emit(onNext: { _ in
                continuation.resume(returning: MainQueue.isCurrent)
            })
            DispatchQueue.global().async { relay.accept(1) }
        }
        subscription.dispose()
        #expect(isMain)
    }
}
