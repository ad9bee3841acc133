import RxSwift
import RxTest
import Testing

/// A test row: an operator whose sources can pause, above a bounded queue such as that of `observe(on:)`. `Promise`
/// states what the bound must not change.
package struct FlowRow: Sendable, CustomTestStringConvertible {
    package enum Promise: Sendable {
        /// A bound changes neither the events nor their times.
        case everything
        /// A bound may only delay the events, because it pauses the sources.
        case events
        /// A bound does not change the elements. If several sources send at the same time, the elements' order may
        /// change.
        case elements
    }

    package let testDescription: String
    private let promise: Promise
    /// Whether one event causes several elements.
    private let overshoots: Bool
    private let make: @Sendable (TestScheduler) -> Observable<Int>

    package init(
        _ name: String, _ promise: Promise = .everything, overshoots: Bool = false,
        _ make: @escaping @Sendable (TestScheduler) -> Observable<Int>
    ) {
        testDescription = name
        self.promise = promise
        self.overshoots = overshoots
        self.make = make
    }

    private func events(_ bound: Int?) -> [Recorded<Event<Int>>] {
        let scheduler = TestScheduler(initialClock: 0)
        let observer = scheduler.start(disposed: 3_000) {
            let chain = make(scheduler).observe(on: scheduler)
            return bound.map { chain.bounded($0) } ?? chain
        }
        return observer.events
    }

    package func expectTheSame(bound: Int) {
        let (unbounded, bounded) = (events(nil), events(bound))
        switch promise {
        case .everything: #expect("\(bounded)" == "\(unbounded)")
        case .events: #expect(bounded.map { "\($0.value)" } == unbounded.map { "\($0.value)" })
        case .elements:
            #expect(bounded.map { "\($0.value)" }.sorted() == unbounded.map { "\($0.value)" }.sorted())
            #expect(bounded.last?.value.isCompleted == unbounded.last?.value.isCompleted)
        }
    }

    package func expectNoMoreWait(bound: Int) {
        if overshoots { return }
        let scheduler = TestScheduler(initialClock: 0)
        nonisolated(unsafe) var (depth, most) = (0, 0)
        let subscription = make(scheduler)
            .do(onNext: { _ in
                depth += 1
                most = max(most, depth)
            })
            .observe(on: scheduler)
            .bounded(bound)
            .subscribe(onNext: { _ in depth -= 1 })
        scheduler.advanceTo(1_000)
        subscription.dispose()
        // When the queue becomes full, one more element may be on its way.
        #expect(most <= bound + 1)
    }

    /// Disposes of the bounded chain at several times. Expects that no event arrives afterwards and no element is left.
    package func expectNothingIsLeft() {
        for time in [201, 203, 206, 215] {
            let (scheduler, tracker) = (TestScheduler(initialClock: 0), LifetimeTracker())
            let observer = scheduler.start(disposed: time) {
                make(scheduler).map { tracker.make($0) }.observe(on: scheduler).map(\.value).bounded(2)
            }
            scheduler.advanceTo(3_000)
            #expect(tracker.live == 0, "disposed of at \(time)")
            #expect(observer.events.allSatisfy { $0.time <= time })
        }
    }
}
