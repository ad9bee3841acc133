/// A scheduler for tests, with sources that send events at virtual times and observers that record them.
///
/// ```swift
/// let scheduler = TestScheduler(initialClock: 0)
/// let source = scheduler.createHotObservable([.next(210, 1), .next(220, 2), .completed(230)])
/// let observer = scheduler.start { source.map { $0 * 10 } }
/// // observer.events == [.next(210, 10), .next(220, 20), .completed(230)]
/// ```
///
/// An action that an operator schedules for now, or for a time that has passed, runs one step later. This simulates the
/// time that work takes. An action of ``scheduleAt(_:action:)`` runs at the given time.
///
/// - Order: by time, as in `VirtualTimeScheduler`.
/// - Disposal: as in `VirtualTimeScheduler`.
// @unchecked Sendable because the base class guards its state, and the properties here are constant.
public class TestScheduler: VirtualTimeScheduler<TestSchedulerVirtualTimeConverter>, @unchecked Sendable {
    /// The times that `start` uses by default.
    public enum Defaults {
        /// The time at which the sequence is made.
        public static let created = 100

        /// The time at which the sequence is subscribed to.
        public static let subscribed = 200

        /// The time at which the subscription is disposed of.
        public static let disposed = 1000
    }

    let resolution: Double

    private let simulateProcessingDelay: Bool

    /// Creates a scheduler that belongs to the calling thread.
    ///
    /// - Parameters:
    ///   - initialClock: the clock's initial time.
    ///   - resolution: the length of one step, in seconds. If a step is shorter than 1 µs, `throttle` may be wrong by
    ///     one step. If the resolution is 0 or not finite, converting a time span to steps traps.
    ///   - simulateProcessingDelay: whether an action scheduled for the current time runs one step later.
    public init(initialClock: TestTime, resolution: Double = 1.0, simulateProcessingDelay: Bool = true) {
        self.resolution = resolution
        self.simulateProcessingDelay = simulateProcessingDelay
        super.init(initialClock: initialClock, converter: TestSchedulerVirtualTimeConverter(resolution: resolution))
    }

    /// Returns `time` if it is in the future; otherwise the next step, or the current step if no delay is simulated.
    public override func adjustScheduledTime(_ time: VirtualTime) -> VirtualTime {
        let now = clock
        if time > now { return time }
        return simulateProcessingDelay && now < .max ? now + 1 : now
    }

    /// A source that sends events at the given times, with or without observers.
    public func createHotObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        HotObservable(scheduler: self, recordedEvents: events)
    }

    /// A source that sends events to each observer, at the given times after its subscription.
    public func createColdObservable<Element>(_ events: [Recorded<Event<Element>>]) -> TestableObservable<Element> {
        ColdObservable(scheduler: self, recordedEvents: events)
    }

    /// An observer that records its events with their times.
    public func createObserver<Element>(_: Element.Type) -> TestableObserver<Element> {
        TestableObserver(scheduler: self)
    }

    /// Schedules `action` for `time`. If `time` has passed, the action is due at once.
    public func scheduleAt(_ time: TestTime, action: @escaping () -> Void) {
        _ = scheduleAbsoluteVirtual((), time: time) {
            action()
            return Disposables.create()
        }
    }

    /// Makes a sequence, subscribes to it and disposes of the subscription at the given times. Runs the scheduler until
    /// nothing is scheduled.
    ///
    /// - Parameters:
    ///   - created: the time at which `create` is called, or `subscribed` if that is earlier.
    ///   - subscribed: the time of the subscription.
    ///   - disposed: the time of the disposal. If the subscription begins later, it is disposed of at once.
    ///   - create: makes the sequence.
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

    /// Calls `create` at 100, subscribes at 200, disposes of the subscription at `disposed`, and runs the scheduler
    /// until nothing is scheduled.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        disposed: TestTime, create: @escaping () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(created: Defaults.created, subscribed: Defaults.subscribed, disposed: disposed, create: create)
    }

    /// Like ``start(disposed:create:)``, with a disposal at 1000.
    public func start<Element, OutputSequence: ObservableConvertibleType>(
        _ create: @escaping () -> OutputSequence
    ) -> TestableObserver<Element> where OutputSequence.Element == Element {
        start(created: Defaults.created, subscribed: Defaults.subscribed, disposed: Defaults.disposed, create: create)
    }
}

/// Guard: used only by the scheduler's actions.
private final class Trial<Element> {
    var source: Observable<Element>?
    let subscription = SerialDisposable()
}
