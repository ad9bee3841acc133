import Dispatch
import RxSwift
import TestSupport
import Testing

struct MainSchedulerTests {
    private let log = Log()

    private func onMain(_ body: @escaping @MainActor () -> Void) async {
        await MainActor.run { body() }
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }

    @Test func runsAtOnceOnMainThenInOrder() async {
        await onMain { [log] in
            // In `MainScheduler.instance`, actions of other tests may be waiting.
            let main = MainScheduler()
            _ = main.schedule(()) { _ in
                log("a")
                _ = main.schedule(()) { _ in
                    log("b")
                    return Disposables.create()
                }
                log("a'")
                return Disposables.create()
            }
            log("-")
        }
        #expect(log.text == "a a' - b")
    }

    @Test func neverRunsAtOnceAsynchronously() async {
        await onMain { [log] in
            _ = MainScheduler.asyncInstance.schedule(()) { _ in
                log("a")
                return Disposables.create()
            }
            log("-")
        }
        #expect(log.text == "- a")
    }

    @Test func runsAtOnceConcurrently() async {
        await onMain { [log] in
            let main = ConcurrentMainScheduler.instance
            _ = main.schedule(()) { _ in
                _ = main.schedule(()) { _ in
                    log("b")
                    return Disposables.create()
                }
                log("a'")
                return Disposables.create()
            }
            log("-")
        }
        #expect(log.text == "b a' -")
    }

    @Test func letsOtherWorkOnTheMainQueueKeepItsPlace() async {
        await onMain { [log] in
            func schedule(_ name: String) {
                _ = MainScheduler.asyncInstance.schedule(name) { name in
                    log(name)
                    return Disposables.create()
                }
            }
            schedule("a")
            DispatchQueue.main.async { log("raw") }
            schedule("b")
        }
        #expect(log.text == "a raw b")
    }

    @Test func letsOtherWorkKeepItsPlaceBetweenTheEventsOfChains() async {
        let (a, b) = (PublishSubject<Int>(), PublishSubject<Int>())
        let subscriptions = [
            a.observe(on: MainScheduler.asyncInstance).note(in: log, as: "a"),
            b.observe(on: MainScheduler.asyncInstance).note(in: log, as: "b"),
        ]
        await onMain { [log] in
            a.onNext(1)
            DispatchQueue.main.async { log("raw") }
            b.onNext(1)
            a.onNext(2)
        }
        #expect(log.text == "a1 raw b1 a2")
        subscriptions.forEach { $0.dispose() }
    }

    @Test func stopsOffTheMainQueue() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try runOnThread { MainScheduler.ensureExecutingOnScheduler(errorMessage: "my words") }
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("my words"))
    }

    @Test func ensureExecutingOnSchedulerPassesOnMainQueue() async {
        await onMain { MainScheduler.ensureExecutingOnScheduler() }
    }

    @Test func jobScheduledByWaitingJobWaits() async {
        let main = MainScheduler()
        @Sendable func action(_ body: @escaping @Sendable () -> Void) -> @Sendable (()) -> any Disposable {
            { _ in
                body()
                return Disposables.create()
            }
        }
        await onMain { [log] in
            let waiting = action {
                log("a")
                _ = main.schedule((), action: action { log("b") })
                log("a'")
            }
            _ = main.schedule((), action: action { _ = main.schedule((), action: waiting) })
        }
        await onMain {}
        #expect(log.text == "a a' b")
    }

    @Test func actionRunsAtOnceAfterWaitingActionHasRun() async {
        let main = MainScheduler()
        @Sendable func noting(_ name: String) -> @Sendable (()) -> any Disposable {
            { [log] _ in
                log(name)
                return Disposables.create()
            }
        }
        await onMain {
            _ = main.schedule(()) { _ in main.schedule((), action: noting("a")) }
        }
        await onMain { [log] in
            _ = main.schedule((), action: noting("b"))
            log("-")
        }
        #expect(log.text == "a b -")
    }
}
