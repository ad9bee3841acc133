import Dispatch
import RxCocoa
import TestSupport
import Testing

struct DriverRaceTests {
    typealias Element = LifetimeTracker.Tracked

    private static let last = 2000

    private final class Witness: Sendable {
        private let state = Guarded((isCalled: false, last: -1))
        private let faults: Log
        let done = DispatchSemaphore(value: 0)

        init(_ faults: Log) {
            self.faults = faults
        }

        func take(_ element: Element) {
            state.withLock { state in
                if state.isCalled { faults("overlap") }
                if element.value <= state.last { faults("\(element) after \(state.last)") }
                state = (true, element.value)
            }
            state.withLock { $0.isCalled = false }
            if element.value == DriverRaceTests.last { done.signal() }
        }
    }

    /// Returns the observers' faults. One thread pushes while others subscribe and dispose. Elements are delivered on a
    /// serial queue, and replayed on the subscribing threads.
    private func faults<Strategy>(
        keepingOne: Bool, _ make: @escaping (BehaviorRelay<Element>) -> SharedSequence<Strategy, Element>
    ) throws -> [String] {
        let (faults, tracker, queue) = (
            Log(), LifetimeTracker(), SerialDispatchQueueScheduler(internalSerialQueueName: "drivers")
        )
        let relay = BehaviorRelay(value: tracker.make(0))
        let sequence = SharingScheduler.mocked(queue) { make(relay) }
        let kept = Witness(faults)
        let subscription = keepingOne ? sequence.asObservable().subscribe(onNext: kept.take) : Disposables.create()
        try runConcurrently(threads: 4) { thread in
            if thread == 0 { return (1...DriverRaceTests.last).forEach { relay.accept(tracker.make($0)) } }
            for _ in 0..<300 {
                let witness = Witness(faults)
                sequence.asObservable().subscribe(onNext: witness.take).dispose()
            }
        }
        if keepingOne, kept.done.wait(timeout: .now() + 30) == .timedOut { faults("the last element did not come") }
        subscription.dispose()
        let late = Witness(faults)
        let again = sequence.asObservable().subscribe(onNext: late.take)
        if late.done.wait(timeout: .now() + 30) == .timedOut { faults("who comes late is not told the last element") }
        again.dispose()
        // Waits for the queue, which frees elements that were queued at a disposal.
        let drained = DispatchSemaphore(value: 0)
        _ = queue.schedule(()) { _ in
            drained.signal()
            return Disposables.create()
        }
        drained.wait()
        if tracker.live != 1 { faults("\(tracker.live) elements live, and the relay has one") }
        return withExtendedLifetime(relay) { faults.entries }
    }

    @Test(arguments: [true, false]) func observersSubscribingAndDisposingReceiveInOrder(keepingOne: Bool) throws {
        let found = try faults(keepingOne: keepingOne) { $0.asDriver() }
        #expect(found.isEmpty)
    }

    @Test(arguments: [true, false]) func chainObserversSubscribingAndDisposingReceiveInOrder(keepingOne: Bool) throws {
        let found = try faults(keepingOne: keepingOne) { $0.asDriver().map { $0 }.filter { _ in true } }
        #expect(found.isEmpty)
    }

    @Test(arguments: [true, false]) func signalObserversSubscribingAndDisposingReceiveInOrder(keepingOne: Bool) throws {
        let found = try faults(keepingOne: keepingOne) { relay in relay.asSignal(onErrorSignalWith: .empty()) }
        #expect(found.isEmpty)
    }
}
