import Dispatch
import Foundation
import RxSwift
import TestSupport
import Testing

struct DrainCheckTests {
    private let log = Log()

    /// Begins a check of a queue, twice, and waits until it must have said what it has to say.
    private func check(_ queue: DispatchQueue, arming: Bool = true, waiting seconds: Double = 0.5) {
        let over = DispatchSemaphore(value: 0)
        let check = DrainCheck(of: queue, patience: .milliseconds(200)) { [log] in
            log("warned")
            over.signal()
        }
        if arming { check.arm() }
        check.begin()
        check.begin()
        _ = over.wait(timeout: .now() + seconds)
    }

    @Test func warnsOnceOfAQueueThatNobodyDrains() {
        let queue = DispatchQueue(label: "idle")
        queue.suspend()
        check(queue, waiting: 30)
        #expect(log.text == "warned")
        queue.resume()
    }

    @Test func isSilentUnlessArmed() {
        let queue = DispatchQueue(label: "idle")
        queue.suspend()
        check(queue, arming: false)
        #expect(log.text == "")
        queue.resume()
    }

    @Test func isSilentAboutAQueueThatRuns() {
        check(DispatchQueue(label: "running"))
        #expect(log.text == "")
    }
}

struct MainQueueTests {
    /// The lines that a process of its own writes to standard error.
    private func said(by result: ExitTest.Result?) -> [Substring] {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
    }

    @Test func aProcessThatDoesNotDrainIsWarnedOnce() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            // The main thread waits in a block of its own queue, so that nothing else runs there.
            await MainActor.run {
                _ = try? runOnThread {
                    _ = MainScheduler.instance.schedule(()) { _ in Disposables.create() }
                    _ = MainScheduler.asyncInstance.schedule(()) { _ in Disposables.create() }
                    _ = ConcurrentMainScheduler.instance.schedule(()) { _ in Disposables.create() }
                    Thread.sleep(forTimeInterval: 4)
                }
            }
        }
        let warnings = said(by: result).filter { $0.contains("main queue") }
        #expect(warnings.count == 1 && warnings.allSatisfy { $0.contains("dispatchMain()") })
    }

    @Test func aProcessThatDrainsIsNotWarned() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            await withCheckedContinuation { continuation in
                _ = MainScheduler.instance.schedule(()) { _ in
                    continuation.resume()
                    return Disposables.create()
                }
            }
            try await Task.sleep(for: .seconds(4))
        }
        #expect(said(by: result).filter { $0.contains("main queue") }.isEmpty)
    }

    @Test func isCurrentOnlyThere() async {
        #expect(await MainActor.run { MainQueue.isCurrent })
        #expect(throws: Never.self) { try #require(try !runOnThread { MainQueue.isCurrent }) }
    }
}
