/// A scheduler for tests: it makes sources that fire at given virtual times, and observers that record when they were
/// told what.
///
/// ```swift
/// let scheduler = TestScheduler(initialClock: 0)
/// let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
/// let observer = scheduler.start { source.map { $0 * 10 } }
/// // observer.events == [.next(210, 10), .next(220, 20), .completed(230)]
/// ```
///
/// What operators schedule for now, or for a time that has passed, runs one step later, as work takes time in the real
/// world, too; what ``scheduleAt(_:action:)`` is given runs at that time.
///
/// A time that no step has, such as `.seconds(.max)` from now, is the last one there is, `Int.max`.
///
/// - Order: that of its base, `VirtualTimeScheduler`: by their times, those of one time first in, first out, one at a
///   time.
/// - Disposal: what is disposed of before its turn never runs, and is freed at once.
// @unchecked Sendable because its base guards its own state, and the properties here never change.
public class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
    /// The times that `start` uses unless it is told others.
    public enum Defaults {
        /// When the sequence is made.
        public static let created = 100

        /// When it is subscribed to.
        public static let subscribed = 200

        /// When the subscription is disposed of.
        public static let disposed = 1000
    }

    /// How many seconds one step of the clock stands for.
    let resolution: Double

    private let simulateProcessingDelay: Bool

    /// Creates a scheduler that belongs to the calling thread.
    ///
    /// - Parameters:
    ///   - initialClock: what its clock shows at first.
    ///   - resolution: how many seconds one step of its clock stands for. Operators that measure a span read the clock
    ///     as a `Date`, as in RxSwift, which near 1970 is exact to 0.12 µs: below 1 µs, what `throttle` measures may be
    ///     a step off. A span of time traps where this is 0 or not finite.
    ///   - simulateProcessingDelay: whether what is scheduled for now runs one step later.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        self.resolution = resolution
        self.simulateProcessingDelay = simulateProcessingDelay
        super.init(initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
    }

    /// One step from now for what is due, the same time for everything else.
    public override func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        let now = clock
        if time > now { return time }
        return simulateProcessingDelay && now < .max ? now + 1 : now
    }

    /// A source that fires at the given times, whether or not somebody listens.
    ///
    /// - Parameter events: what it fires, and when.
    public func createHotObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        HotObservable(scheduler: self, recordedEvents: events)
    }

    /// A source that fires for each observer anew, the given times after its subscription.
    ///
    /// - Parameter events: what it fires, and how long after the subscription.
    public func createColdObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        ColdObservable(scheduler: self, recordedEvents: events)
    }

    /// An observer that records what it is told and when.
    public func createObserver<Element>(_: Element.Type) -> TestableObserver<Element> {
        TestableObserver(scheduler: self)
    }

    /// Does something at a time.
    ///
    /// - Parameters:
    ///   - time: when; a time that has passed means at once.
    ///   - action: what.
    public func scheduleAt(_ time: TestTime, action: @escaping () -> Void) {
        _ = scheduleAbsoluteVirtual((), time: time) {
            action()
            return Disposables.create()
        }
    }

    /// Makes a sequence, subscribes to it and disposes of the subscription at the given times, and runs the scheduler
    /// to its end.
    ///
    /// - Parameters:
    ///   - created: when `create` is called; it is called before the sequence is subscribed to in any case.
    ///   - subscribed: when the sequence is subscribed to.
    ///   - disposed: when the subscription is disposed of; at once, where it begins after that.
    ///   - create: makes the sequence.
    /// - Returns: the observer that was subscribed, with all that it was told.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        created: TestTime, subscribed: TestTime, disposed: TestTime, create: @escaping () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        let observer = createObserver(Element.self)
        let trial = Trial<Element>()
        scheduleAt(min(created, subscribed)) { trial.source = create().asObservable() }
        scheduleAt(subscribed) {
            if let source = trial.source { trial.subscription.disposable = source.subscribe(observer) }
        }
        scheduleAt(disposed) { trial.subscription.dispose() }
        start()
        return observer
    }

    /// Makes a sequence at 100, subscribes to it at 200, disposes of the subscription at the given time, and runs the
    /// scheduler to its end.
    ///
    /// - Parameters:
    ///   - disposed: when the subscription is disposed of.
    ///   - create: makes the sequence.
    /// - Returns: the observer that was subscribed, with all that it was told.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        disposed: TestTime, create: @escaping () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
    }

    /// Makes a sequence at 100, subscribes to it at 200, disposes of the subscription at 1000, and runs the scheduler
    /// to its end.
    ///
    /// - Parameter create: makes the sequence.
    /// - Returns: the observer that was subscribed, with all that it was told.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        _ create: @escaping () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(created: Defaults.created, subscribed: Defaults.subscribed, disposed: Defaults.disposed, create: create)
    }
}

/// What one `start` has made so far; touched by the scheduler's actions alone.
private final class Trial<Element> {
    var source: Observable<Element>?
    let subscription = SerialDisposable()
}
