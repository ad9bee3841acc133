import TestSupport
import Testing

@testable import RxSwift

struct TrampolineTests {
    private let log = Log()

    private func job(_ name: String) -> ScheduledJob {
        ScheduledAction { [log] in
            log(name)
            return Disposables.create()
        }
    }

    private func wrapped(_ job: ScheduledJob) -> ScheduledJob {
        ScheduledAction { [log] in
            log("(")
            job.run()
            log(")")
            return Disposables.create()
        }
    }

    private func run(_ queue: inout TrampolineQueue) {
        while let job = queue.popFirst() {
            job._withUnsafeGuaranteedRef { $0.run() }
            job.release()
        }
    }

    @Test func replaceAffectsOnlyJobsAfterMark() {
        var queue = TrampolineQueue()
        queue.append(job("a"))
        let mark = queue.last
        queue.append(job("b"))
        queue.append(job("c"))
        queue.replace(after: mark, by: wrapped)
        queue.append(job("d"))
        run(&queue)
        #expect(log.text == "a ( b ) ( c ) d")
    }

    @Test func replaceWithoutMarkAffectsAllJobs() {
        var queue = TrampolineQueue()
        queue.append(job("a"))
        queue.append(job("b"))
        queue.replace(after: nil, by: wrapped)
        queue.append(job("c"))
        run(&queue)
        #expect(log.text == "( a ) ( b ) c")
    }

    @Test func replaceAfterLastJobChangesNothing() {
        var queue = TrampolineQueue()
        queue.append(job("a"))
        queue.replace(after: queue.last, by: wrapped)
        queue.append(job("b"))
        run(&queue)
        #expect(log.text == "a b")
    }
}
