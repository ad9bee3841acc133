import RxSwift

/// The scheduler on which drivers and signals deliver: the main queue by default.
///
/// A server that does not run its main queue sets another scheduler before it makes the first driver:
///
///     SharingScheduler.use(SerialDispatchQueueScheduler(internalSerialQueueName: "drivers"))
///
/// If the main queue does not run, the program prints a warning. See <doc:DriverAndSignalOnAServer>.
///
/// ``use(_:)`` also replaces the main queue for subscriptions to ``ControlEvent`` and ``ControlProperty``. Existing
/// sequences keep their scheduler. Any thread may call these functions.
public enum SharingScheduler {
    /// Makes the scheduler of one driver or signal: the one set by ``mock(scheduler:action:)`` or ``use(_:)``, or a
    /// `MainScheduler`.
    @preconcurrency
    public static var make: @Sendable () -> any SchedulerType {
        if let mine = mockOfThisTask.get() { return mine.make }
        // A task without a mock belongs to another test or to the program, so no mock applies. A thread outside of
        // tasks may work for a test with a mock, so the latest mock applies.
        let isTask = withUnsafeCurrentTask { $0 != nil }
        return choice.withLock { isTask ? $0.ordinary : $0.mocks.last ?? $0.ordinary }.make
    }

    /// Sets the scheduler of drivers and signals created after this call.
    ///
    /// RxSwift has no such function. The scheduler should be serial, and set once, when the program starts. A mock
    /// takes precedence.
    public static func use(_ scheduler: any SchedulerType) {
        nonisolated(unsafe) let scheduler = scheduler  // any thread may use a scheduler
        use(makeScheduler: { scheduler })
    }

    /// Sets the function that makes a separate scheduler for each driver and signal created after this call. See
    /// ``use(_:)``.
    ///
    /// - Parameter makeScheduler: called for each new driver or signal that delivers on a scheduler or uses time, on
    ///   the thread that creates it.
    @preconcurrency
    public static func use(makeScheduler: @escaping @Sendable () -> any SchedulerType) {
        var replaced = Maker(makeScheduler)
        choice.withLock { swap(&$0.ordinary, &replaced) }
    }

    /// Runs `action`, in which new drivers and signals deliver on `scheduler`. See ``mock(makeScheduler:action:)``.
    ///
    ///     let time = TestScheduler(initialClock: 0)
    ///     SharingScheduler.mock(scheduler: time) { time.advanceTo(300) }
    public static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
        nonisolated(unsafe) let scheduler = scheduler  // any thread may use a scheduler
        try mock(makeScheduler: { scheduler }, action: action)
    }

    /// Runs `action`, in which new drivers and signals deliver on schedulers from `makeScheduler`.
    ///
    /// Mocks nest. `action` and the tasks that it starts use this mock. Other tasks use no mock. Threads outside of
    /// tasks use the latest mock.
    @preconcurrency
    public static func mock(
        makeScheduler: @escaping @Sendable () -> any SchedulerType, action: () throws -> Void
    ) rethrows {
        let mock = Maker(makeScheduler)
        choice.withLock { $0.mocks.append(mock) }
        defer { choice.withLock { $0.mocks.removeAll { $0 === mock } } }
        try mockOfThisTask.withValue(mock, operation: action)
    }

    /// The scheduler of subscriptions to controls: the one passed to ``use(_:)``, or the main queue. As in RxSwift,
    /// mocks do not replace this scheduler.
    static var ofControls: any ImmediateSchedulerType {
        let chosen = choice.withLock { $0.ordinary === Maker.main ? nil : $0.ordinary }
        guard let chosen else {
            MainQueue.insistOnDrain()
            return ConcurrentMainScheduler.instance
        }
        return chosen.make()
    }

    private static let mockOfThisTask = TaskLocal<Maker?>(wrappedValue: nil)
    private static let choice = Locked(Choice())

    // @unchecked Sendable because it is immutable, and its closure is `@Sendable`: any thread may call it.
    private final class Maker: @unchecked Sendable {
        static let main = Maker {
            MainQueue.insistOnDrain()
            return MainScheduler()
        }

        let make: @Sendable () -> any SchedulerType

        init(_ make: @escaping @Sendable () -> any SchedulerType) {
            self.make = make
        }
    }

    private struct Choice {
        var ordinary = Maker.main
        /// The active mocks, the latest one last.
        var mocks: [Maker] = []
    }
}
