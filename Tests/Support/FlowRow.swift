import RxSwift
import RxTest
import Testing

/// An operator above a boundary, on sources that can pause, and what a bound may not change about it.
package struct FlowRow: Sendable, CustomTestStringConvertible {
    /// What a bound does not change.
    package enum Promise: Sendable {
        /// No event and no time.
        case everything
        /// No event: it lets a source wait that would have sent earlier what is timed from then on.
        case events
        /// No element: of sources that send at once, it says which goes first.
        case elements
    }

    package let testDescription: String
    private let promise: Promise
    /// Whether it sends several elements for one event.
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

    /// Expects that it records, above a boundary that holds so many, what it records above one that has no bound.
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

    /// Expects that no more than so many wait at the boundary below it.
    package func expectNoMoreWait(bound: Int) {
        if overshoots { return }
        let scheduler = TestScheduler(initialClock: 0)
        var (depth, most) = (0, 0)
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
        // A tick may be on its way.
        #expect(most <= bound + 1)
    }

    /// Expects that nothing comes, and nothing is left, once the bounded chain has been disposed of at some moment.
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
