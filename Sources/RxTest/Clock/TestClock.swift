/// A clock for async code whose time is the virtual time of a ``TestScheduler``, so that tasks and Rx share one
/// timeline.
///
/// A sleep ends when the scheduler's clock reaches it. The clock is also the executor on which tasks run that name it;
/// their work then is part of the scheduler's run: it takes place on the scheduler's thread, in a fixed order, and time
/// does not go on before it is done. No test waits, yields, or hopes.
///
/// ```swift
/// let scheduler = TestScheduler(initialClock: 0)
/// let clock = TestClock(scheduler)
/// let source = scheduler.createHotObservable("-a---b|", values: ["a": 1, "b": 2], from: 0)
/// let observer = scheduler.createObserver(Int.self)
/// Task(executorPreference: clock) {
///     for try await element in source.asObservable().values {
///         try await clock.sleep(for: .seconds(2))
///         observer.onNext(element)
///     }
/// }
/// scheduler.start()
/// observer.expect("---a---b", values: ["a": 1, "b": 2], from: 0)
/// ```
///
/// - Any thread may ask for the time, sleep, and cancel. A cancelled sleep throws `CancellationError` at once and
///   leaves nothing behind.
/// - What happens at one time happens in the order in which it was scheduled; a task's step takes no virtual time.
/// - Work of such a task that runs elsewhere, on the main actor or in a detached task, is not waited for: `start()` may
///   return before it.
/// - In an async test, make and start the scheduler without an `await` in between: `start()` belongs to the thread that
///   made it.
public final class TestClock: Clock {
    /// A span of time.
    public typealias Duration = Swift.Duration

    /// A point in virtual time.
    public struct Instant: InstantProtocol {
        /// How long after the virtual time 0 it is.
        public let offset: Swift.Duration

        /// The point that lies so long after the virtual time 0.
        ///
        /// - Parameter offset: how long.
        public init(offset: Swift.Duration) {
            self.offset = offset
        }

        /// The point that lies so much later.
        ///
        /// - Parameter duration: how much.
        public func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How much later the other point is.
        public func duration(to other: Instant) -> Swift.Duration {
            other.offset - offset
        }

        /// Which point comes first.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.offset < rhs.offset
        }
    }

    private let scheduler: TestScheduler
    private let steps: ClockSteps

    /// Creates a clock that shows the scheduler's virtual time, each step of which is as long as the scheduler's
    /// resolution says.
    ///
    /// - Parameter scheduler: who drives it; all clocks of a scheduler show the same.
    public init(_ scheduler: TestScheduler) {
        self.scheduler = scheduler
        steps = ClockSteps(resolution: scheduler.resolution)
    }

    /// What the scheduler's clock shows.
    public var now: Instant {
        Instant(offset: steps.offset(of: scheduler.clock))
    }

    /// The length of one step.
    public var minimumResolution: Swift.Duration {
        steps.offset(of: 1)
    }

    /// Sleeps until the first step that is not before the deadline; a deadline that has come returns at once. A
    /// deadline more than 2^53 steps away is never reached, and does not move the clock: only a cancellation ends such
    /// a sleep.
    ///
    /// - Parameters:
    ///   - deadline: the point in virtual time.
    ///   - tolerance: of no account: virtual time is exact.
    /// - Throws: `CancellationError`, when the task is cancelled before that.
    public func sleep(until deadline: Instant, tolerance: Swift.Duration? = nil) async throws {
        try Task.checkCancellation()
        guard deadline > now else { return }
        let sleep = ClockSleep()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleep.begin(continuation, until: steps.first(notBefore: deadline.offset), on: scheduler)
            }
        } onCancel: {
            sleep.cancel()
        }
    }
}

extension TestClock: TaskExecutor {
    /// Runs a piece of a task's work as an action of the scheduler, at the present virtual time. The runtime calls it.
    ///
    /// - Parameter job: the piece of work.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        scheduler.scheduleAt(scheduler.clock) { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
