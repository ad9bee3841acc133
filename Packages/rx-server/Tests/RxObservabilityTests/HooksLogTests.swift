import Dispatch
import Logging
import RxObservability
import RxTest
import Testing

private final class Witness: Sendable {
    let metadata: Logger.Metadata = [:]
}

// Uses separate processes, because the hooks are global.
struct HooksLogTests {
    @Test func unhandledErrorIsLogged() async {
        await #expect(processExitsWith: .success) {
            let log = TestLog()
            Hooks.log(to: log.logger)
            Hooks.recordCallStackOnError = true
            Hooks.customCaptureSubscriptionCallstack = { ["here"] }
            _ = Observable<Int>.error(Declined()).subscribe()
            let entry = log.handler.entries.first
            precondition(log.messages == ["unhandled error"], "\(log.messages)")
            precondition(entry?.level == .error && entry?.error is Declined)
            precondition(entry?.metadata["rx.subscription"] == ["here"], "\(String(describing: entry?.metadata))")
        }
    }

    @Test func logWithoutRecordedCallStackHasNone() async {
        await #expect(processExitsWith: .success) {
            let log = TestLog()
            Hooks.log(to: log.logger)
            Hooks.recordCallStackOnError = false
            _ = Observable<Int>.error(Declined()).subscribe()
            precondition(log.messages == ["unhandled error"], "\(log.messages)")
            precondition(log.handler.entries.first?.metadata.isEmpty == true)
        }
    }

    @Test func dropsAreLoggedWhenTheyDouble() async {
        await #expect(processExitsWith: .success) {
            let (log, source) = (TestLog(), PublishSubject<Int>())
            Hooks.log(to: log.logger)
            let scheduler = TestScheduler(initialClock: 0)
            let subscription = source.observe(on: scheduler, buffering: .newest(1)).subscribe()
            for element in 0..<10 { source.onNext(element) }
            subscription.dispose()
            precondition(log.messages == Array(repeating: "elements dropped", count: 4), "\(log.messages)")
            let drops = log.handler.entries.compactMap { $0.metadata["rx.dropped"] }
            precondition(drops == ["1", "2", "4", "8"], "\(drops)")
            precondition(log.handler.entries.allSatisfy { $0.level == .warning })
            precondition(log.handler.entries.first?.metadata["rx.boundary"] == "observe(on:)")
            let buffering = log.handler.entries.first?.metadata["rx.buffering"]
            precondition(buffering == "\(Buffering.newest(1))", "\(String(describing: buffering))")
        }
    }

    @Test func stallWatchEndedReleasesLogger() async {
        await #expect(processExitsWith: .success) {
            weak var kept: Witness?
            do {
                let witness = Witness()
                kept = witness
                let log = TestLog(provider: Logger.MetadataProvider { witness.metadata })
                Hooks.log(to: log.logger, stallsLongerThan: .milliseconds(20))
            }
            precondition(kept != nil)
            Hooks.log(to: TestLog().logger)
            // The timer's queue may retain the logger for a moment.
            let end = DispatchTime.now() + 60
            while kept != nil { precondition(DispatchTime.now() < end, "it is kept") }
        }
    }

    @Test func stallIsLogged() async {
        await #expect(processExitsWith: .success) {
            let log = TestLog()
            Hooks.log(to: log.logger, stallsLongerThan: .milliseconds(20))
            let done = DispatchSemaphore(value: 0)
            let scheduler = SerialDispatchQueueScheduler(qos: .default, internalSerialQueueName: "orders")
            let job = scheduler.schedule(()) { _ in
                while log.messages.isEmpty {}
                done.signal()
                return Disposables.create()
            }
            precondition(done.wait(timeout: .now() + 60) == .success)
            job.dispose()
            let entry = log.handler.entries.first
            precondition(entry?.message == "stall" && entry?.level == .warning)
            precondition(entry?.metadata["rx.scheduler"] == "orders", "\(String(describing: entry?.metadata))")
            let milliseconds = entry?.metadata["rx.milliseconds"].flatMap { Int("\($0)") } ?? 0
            precondition(20..<20_000 ~= milliseconds, "\(milliseconds)")
        }
    }
}
