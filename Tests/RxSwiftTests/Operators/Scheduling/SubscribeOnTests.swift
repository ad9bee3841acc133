import Dispatch
import RxSwift
import RxTest
import TestSupport
import Testing

struct SubscribeOnTests {
    private let log = Log()
    private let scheduler = TestScheduler(initialClock: 0)

    @Test func subscribesOnTheScheduler() {
        let subscription = Observable.of(1).noteLifetime(in: log, as: "source").subscribe(on: scheduler).note(in: log)
        log("-")
        scheduler.start()
        #expect(log.text == "- source+ 1 completed source-")
        subscription.dispose()
    }

    @Test func disposesOnTheScheduler() {
        let source = PublishSubject<Int>()
        let subscription = source.subscribe(on: scheduler).subscribe()
        scheduler.start()
        #expect(source.hasObservers)
        subscription.dispose()
        #expect(source.hasObservers)
        scheduler.start()
        #expect(!source.hasObservers)
    }

    @Test func disposedBeforehandItDoesNotSubscribe() {
        Observable.of(1).noteLifetime(in: log, as: "source").subscribe(on: scheduler).note(in: log).dispose()
        scheduler.start()
        #expect(log.text == "")
    }

    @Test func isSilentOnceItIsDisposed() {
        let source = PublishSubject<Int>()
        let subscription = source.subscribe(on: scheduler).note(in: log)
        scheduler.start()
        subscription.dispose()
        source.onNext(1)
        #expect(log.text == "")
    }

    @Test func deliversWhereTheSourceSends() {
        let (source, done) = (PublishSubject<Int>(), DispatchSemaphore(value: 0))
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "serial")
        let key = DispatchSpecificKey<Bool>()
        let subscription = source.do(onSubscribed: { done.signal() }).subscribe(on: queue).subscribe(onNext: { [log] _ in
            log(DispatchQueue.getSpecific(key: key) ?? false)
        })
        #expect(done.wait(timeout: .now() + 30) == .success)
        let own = DispatchQueue(label: "own")
        own.setSpecific(key: key, value: true)
        own.sync { source.onNext(1) }
        #expect(log.text == "true")
        subscription.dispose()
    }

    @Test func disposalsThatRaceWithTheSubscriptionLeaveNothing() throws {
        let queue = SerialDispatchQueueScheduler(internalSerialQueueName: "serial")
        let source = PublishSubject<Int>()
        for _ in 0..<2_000 { source.subscribe(on: queue).subscribe().dispose() }
        drain(queue)
        drain(queue)
        #expect(!source.hasObservers)
    }
}
