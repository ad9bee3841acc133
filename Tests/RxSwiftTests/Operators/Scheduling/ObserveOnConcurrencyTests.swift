import Dispatch
import RxSwift
import TestSupport
import Testing

struct ObserveOnConcurrencyTests {
    private let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "serial")

    @Test(arguments: [1, 4]) func elementsPushedDuringDeliveryArriveOnceInOrder(chains: Int) throws {
        nonisolated(unsafe) var received = Array(repeating: [Int](), count: chains)
        try runConcurrently(threads: chains) { chain in
            let (source, done) = (PublishSubject<Int>(), DispatchSemaphore(value: 0))
            let subscription = source.observe(on: scheduler)
                .subscribe(onNext: { received[chain].append($0) }, onCompleted: { done.signal() })
            for number in 0..<20_000 { source.onNext(number) }
            source.onCompleted()
            done.wait()
            subscription.dispose()
        }
        for chain in 0..<chains {
            let isWhole = received[chain].elementsEqual(0..<20_000)
            #expect(isWhole, "\(received[chain].count) elements")
        }
    }

    @Test func elementsPushedDuringDeliveryAreFreed() throws {
        let tracker = LifetimeTracker()
        try runConcurrently(threads: 2) { _ in
            for _ in 0..<50 {
                let source = PublishSubject<LifetimeTracker.Tracked>()
                let subscription = source.observe(on: scheduler).subscribe()
                for number in 0..<100 { source.onNext(tracker.make(number)) }
                subscription.dispose()
            }
        }
        drain(scheduler)
        #expect(tracker.live == 0)
    }

    @Test func threadsThatTakeTurnsAreDeliveredInTurn() throws {
        let turn = Guarded(0)
        nonisolated(unsafe) var received: [Int] = []
        let sources = [PublishSubject<Int>(), PublishSubject<Int>()]
        let subscriptions = sources.map { $0.observe(on: scheduler).subscribe(onNext: { received.append($0) }) }
        try runConcurrently(threads: 2) { index in
            while true {
                let number = turn.withLock { $0 }
                if number == 2_000 { break }
                // Each thread pushes four elements in its turn, so that they can share a job.
                guard number / 4 % 2 == index else { continue }
                sources[index].onNext(number)
                turn.withLock { $0 += 1 }
            }
        }
        drain(scheduler)
        let isWhole = received.elementsEqual(0..<2_000)
        #expect(isWhole, "\(received.count) elements")
        subscriptions.forEach { $0.dispose() }
    }
}
