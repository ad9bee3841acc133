import Dispatch
import Foundation
import RxSwift
import TestSupport
import Testing

struct DrainCheckTests {
    private let log = Log()
    private let queue = DispatchQueue(label: "checked")

    /// Returns a probe that is armed and begun twice. The probe warns if the queue does not run within `patience`.
    private func begun(patience: DispatchTimeInterval = .milliseconds(50)) -> QueueProbe {
        let check = QueueProbe(of: queue, patience: patience) { [log] in log("warned") }
        check.arm()
        check.begin()
        check.begin()
        return check
    }

    @Test func undrainedQueueIsReportedOnce() {
        queue.suspend()
        let check = begun()
        #expect(comesTrue { check.isOver })
        // A second check would warn during this time.
        usleep(100_000)
        #expect(log.text == "warned")
        queue.resume()
    }

    @Test func isSilentUnlessArmed() {
        queue.suspend()
        QueueProbe(of: queue, patience: .milliseconds(0)) { [log] in log("unarmed") }.begin()
        // If the first probe warned, it would warn before `check` does.
        let check = begun()
        #expect(comesTrue { check.isOver })
        #expect(log.text == "warned")
        queue.resume()
    }

    @Test func probeBegunBeforeArmingStartsOnceArmed() {
        queue.suspend()
        let check = QueueProbe(of: queue, patience: .milliseconds(1)) { [log] in log("warned") }
        check.begin()
        check.arm()
        check.begin()
        #expect(comesTrue { check.isOver })
        #expect(log.text == "warned")
        queue.resume()
    }

    @Test func isSilentAboutAQueueThatRuns() {
        let check = begun(patience: .seconds(1))
        queue.sync {}
        #expect(comesTrue { check.isOver })
        #expect(log.text == "")
    }
}

struct MainQueueTests {
    private func said(by result: ExitTest.Result?) -> [Substring] {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
    }

    @Test func aProcessThatDoesNotDrainIsWarnedOnce() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            MainQueue.patience = .milliseconds(50)
            // Blocks the main queue while another thread schedules.
            await MainActor.run {
                _ = try? runOnThread {
                    _ = MainScheduler.instance.schedule(()) { _ in Disposables.create() }
                    _ = MainScheduler.asyncInstance.schedule(()) { _ in Disposables.create() }
                    _ = ConcurrentMainScheduler.instance.schedule(()) { _ in Disposables.create() }
                    precondition(comesTrue { MainQueue.isJudged })
                    // Gives the schedulers time for more warnings.
                    usleep(200_000)
                }
            }
        }
        let warnings = said(by: result).filter { $0.contains("main queue") }
        #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("dispatchMain()") })
    }

    private static let ways: [@Sendable () -> any Disposable] = [
        { MainScheduler.instance.schedule(()) { _ in Disposables.create() } },
        { MainScheduler.asyncInstance.schedule(()) { _ in Disposables.create() } },
        { ConcurrentMainScheduler.instance.schedule(()) { _ in Disposables.create() } },
        { ActorScheduler(MainActor.shared).schedule(()) { _ in Disposables.create() } },
        {
            MainScheduler.instance.scheduleRelative((), dueTime: .milliseconds(1)) { _ in Disposables.create() }
        },
        { MainScheduler.instance.schedulePeriodic((), startAfter: .seconds(1), period: .seconds(1)) { $0 } },
        {
            ConcurrentMainScheduler.instance.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                Disposables.create()
            }
        },
        { ConcurrentMainScheduler.instance.schedulePeriodic((), startAfter: .seconds(1), period: .seconds(1)) { $0 } },
    ]

    @Test(arguments: ways.indices) func anyFirstWorkStartsMainQueueCheck(way: Int) async {
        await #expect(processExitsWith: .success) { [way = way as Int] in
            MainQueue.patience = .milliseconds(1)
            let work = Self.ways[way]()
            precondition(comesTrue { MainQueue.isJudged })
            work.dispose()
        }
    }

    @Test func aProcessThatDrainsIsNotWarned() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            MainQueue.patience = .seconds(1)
            await withCheckedContinuation { continuation in
                _ = MainScheduler.instance.schedule(()) { _ in
                    continuation.resume()
                    return Disposables.create()
                }
            }
            precondition(comesTrue { MainQueue.isJudged })
        }
        #expect(said(by: result).filter { $0.contains("main queue") }.isEmpty)
    }

    @Test func isCurrentOnlyThere() async {
        #expect(await MainActor.run { MainQueue.isCurrent })
        #expect(throws: Never.self) { try #require(try !runOnThread { MainQueue.isCurrent }) }
    }

    @Test func workForOtherQueuesStartsNoMainQueueCheck() async {
        await #expect(processExitsWith: .success) {
            MainQueue.patience = .milliseconds(0)
            let done = DispatchSemaphore(value: 0)
            _ = ActorScheduler(QueueActor.make()).schedule(()) { _ in
                done.signal()
                return Disposables.create()
            }
            done.wait()
            let queue = SerialDispatchQueueScheduler(qos: .default)
            queue.scheduleRelative((), dueTime: .seconds(1_000)) { _ in Disposables.create() }.dispose()
            queue.schedulePeriodic((), startAfter: .seconds(1_000), period: .seconds(1)) { $0 }.dispose()
            let later = QueueProbe(of: .global(), patience: .milliseconds(50)) {}
            later.arm()
            later.begin()
            precondition(comesTrue { later.isOver } && !MainQueue.isJudged)
        }
    }
}
