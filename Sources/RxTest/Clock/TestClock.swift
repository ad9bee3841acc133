/// A clock for async code. It shows the virtual time of a ``TestScheduler``.
///
/// A sleep ends when the scheduler reaches its deadline. The clock is also a task executor: its tasks run on the
/// scheduler's thread, in a fixed order. Time does not advance until they suspend or end.
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
/// - Any thread may read the time, sleep and cancel. A cancelled sleep throws `CancellationError` at once.
/// - `start()` does not wait for parts of a task that run elsewhere, such as on the main actor or in a detached task.
/// - In an asynchronous test, make and start the scheduler without an `await` in between: it must start on the thread
///   that made it.
public final class TestClock: Clock {
    /// A span of time.
    public typealias Duration = Swift.Duration

    /// A point in virtual time.
    public struct Instant: InstantProtocol {
        /// The span since virtual time 0.
        public let offset: Swift.Duration

        /// The point at `offset`.
        public init(offset: Swift.Duration) {
            self.offset = offset
        }

        /// The point `duration` after this one.
        public func advanced(by duration: Swift.Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// The span from this point to `other`.
        public func duration(to other: Instant) -> Swift.Duration {
            other.offset - offset
        }

        /// Whether the first point is earlier.
        public static func < (lhs: Instant, rhs: Instant) -> Bool {
            lhs.offset < rhs.offset
        }
    }

    private let scheduler: TestScheduler
    private let steps: ClockSteps

    /// Creates a clock that shows the virtual time of `scheduler`.
    public init(_ scheduler: TestScheduler) {
        self.scheduler = scheduler
        steps = ClockSteps(resolution: scheduler.resolution)
    }

    /// The scheduler's time.
    public var now: Instant {
        Instant(offset: steps.offset(of: scheduler.clock))
    }

    /// One step of the scheduler's clock.
    public var minimumResolution: Swift.Duration {
        steps.offset(of: 1)
    }

    /// Sleeps until the first step that is not before `deadline`. `tolerance` is ignored. A deadline more than 2^53
    /// steps away is never reached.
    ///
    /// - Throws: `CancellationError` if the task is cancelled before the deadline.
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
    /// Runs a job of a task as an action of the scheduler, at the current time.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        scheduler.scheduleAt(scheduler.clock) { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
