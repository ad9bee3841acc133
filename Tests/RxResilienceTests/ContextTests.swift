import RxResilience
import RxTest
import TestSupport
import Testing

struct ContextTests {
    private enum Trace {
        @TaskLocal static var id = "none"
    }

    /// Subscribes inside a context, and runs the scheduler outside of it. Returns the log, with the context of each
    /// event.
    private static func contexts(
        _ scheduler: TestScheduler, _ log: Log, _ sequence: Observable<Int>
    ) -> String {
        Hooks.captureContext = {
            let id = Trace.id
            return id == "none" ? nil : { body in Trace.$id.withValue(id, operation: body) }
        }
        let subscription = Trace.$id.withValue("subscriber") {
            sequence.subscribe(
                onNext: { log("\($0):\(Trace.id)") }, onError: { _ in log("error:\(Trace.id)") },
                onCompleted: { log("completed:\(Trace.id)") })
        }
        scheduler.start()
        subscription.dispose()
        return log.text
    }

    private static func noting(_ log: Log, _ source: Observable<Int>) -> Observable<Int> {
        .deferred {
            log("asked:\(Trace.id)")
            return source
        }
    }

    @Test func timerEventsAreInContextOfSubscription() async {
        await #expect(processExitsWith: .success) {
            let scheduler = TestScheduler(initialClock: 0)
            let never = Observable<Int>.never()
            for timeout in [
                never.timeout(first: .seconds(5), scheduler: scheduler),
                never.timeout(total: .seconds(5), scheduler: scheduler),
                never.deadline(in: .seconds(5), scheduler: scheduler),
            ] {
                precondition(Self.contexts(scheduler, Log(), timeout) == "error:subscriber")
            }
            let batches = Observable.just(1).concat(never).batched(within: .seconds(5), scheduler: scheduler)
            precondition(Self.contexts(scheduler, Log(), batches.map(\.count)) == "1:subscriber")
        }
    }

    @Test func laterSubscriptionsAreInContextOfFirst() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
            let failing = scheduler.createColdObservable([Recorded<Event<Int>>.error(5, TestError.a)]).asObservable()
            var seen = Self.contexts(
                scheduler, log,
                Self.noting(log, failing).retry(.every(.seconds(5), attempts: 2), scheduler: scheduler))
            precondition(seen == "asked:subscriber asked:subscriber error:none", seen)

            _ = log.take()
            seen = Self.contexts(
                scheduler, log, Self.noting(log, .never()).hedged(after: .seconds(5), scheduler: scheduler))
            precondition(seen == "asked:subscriber asked:subscriber", seen)

            _ = log.take()
            let bulkhead = Bulkhead(1, waiting: 1)
            let running = Observable<Int>.never().admitted(by: bulkhead).subscribe()
            scheduler.scheduleAt(scheduler.clock + 5) { running.dispose() }
            seen = Self.contexts(scheduler, log, Self.noting(log, .never()).admitted(by: bulkhead))
            precondition(seen == "asked:subscriber", seen)
        }
    }

    @Test func elementOfIntakeIsHandledInContextOfOffer() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, log, drain) = (TestScheduler(initialClock: 0), Log(), Drain())
            let (works, elements) = (Intake<Int>(atMost: 9), Intake<Int>(atMost: 9))
            _ = Self.contexts(scheduler, log, .empty())
            _ = log.take()
            let ends = PublishSubject<Int>()
            let working = works.handling(until: drain, atMost: 1) { element in
                log("\(element):\(Trace.id)")
                return ends.take(1).asSingle()
            }
            .subscribe()
            Trace.$id.withValue("a") { _ = works.offer(1) }
            Trace.$id.withValue("b") { _ = works.offer(2) }
            Trace.$id.withValue("a") { ends.onNext(0) }
            precondition(log.take() == "1:a 2:b")

            let delivering = elements.elements(until: drain).subscribe(onNext: { element in
                log("\(element):\(Trace.id)")
                if element == 1 { Trace.$id.withValue("c") { _ = elements.offer(2) } }
            })
            Trace.$id.withValue("b") { _ = elements.offer(1) }
            precondition(log.text == "1:b 2:c", log.text)
            working.dispose()
            delivering.dispose()
        }
    }

    @Test func completionDuringSubscriptionHasContextOfSubscription() async {
        await #expect(processExitsWith: .success) {
            let (scheduler, log) = (TestScheduler(initialClock: 0), Log())
            let bulkhead = Bulkhead(1, waiting: 1)
            let running = Observable<Int>.never().admitted(by: bulkhead).subscribe()
            scheduler.scheduleAt(5) { running.dispose() }
            let seen = Self.contexts(scheduler, log, Observable.just(1).admitted(by: bulkhead))
            precondition(seen == "1:subscriber completed:subscriber", seen)
        }
    }
}
