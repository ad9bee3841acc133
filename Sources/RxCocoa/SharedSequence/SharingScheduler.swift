import RxSwift

/// Where drivers and signals deliver: the main queue, unless a program says otherwise.
///
/// A server whose main queue nobody drains says so once, before it makes the first driver:
///
///     SharingScheduler.use(SerialDispatchQueueScheduler(internalSerialQueueName: "drivers"))
///
/// One that forgets it is warned on standard error, once, when the first delivery has waited for three seconds.
///
/// ``ControlEvent`` and ``ControlProperty``, too, are subscribed to on that scheduler instead of the main queue.
/// What has been made keeps the scheduler it was made with. Any thread may call these functions.
public enum SharingScheduler {
    /// Makes the scheduler of one driver or signal: what ``mock(scheduler:action:)`` or ``use(_:)`` gave, else a
    /// `MainScheduler`.
    @preconcurrency
    public static var make: @Sendable () -> any SchedulerType {
        if let mine = mockOfThisTask.get() { return mine.make }
        // A task without a mock is another test, or the program; a plain thread may well work for the one that mocks.
        let isTask = withUnsafeCurrentTask { $0 != nil }
        return choice.withLock { isTask ? $0.ordinary : $0.mocks.last ?? $0.ordinary }.make
    }

    /// Has the drivers and signals made from now on deliver on `scheduler`.
    ///
    /// RxSwift does not have it: there they deliver on the main queue. It should be a serial scheduler, and is meant to
    /// be set once, when the program starts. A mock goes before it.
    ///
    /// - Parameter scheduler: where every driver and signal delivers.
    public static func use(_ scheduler: any SchedulerType) {
        nonisolated(unsafe) let scheduler = scheduler  // any thread may use a scheduler
        use(makeScheduler: { scheduler })
    }

    /// Has the drivers and signals made from now on deliver each on a scheduler of its own. See ``use(_:)``.
    ///
    /// - Parameter makeScheduler: called for each driver or signal that hops or times, by the thread that makes it.
    @preconcurrency
    public static func use(makeScheduler: @escaping @Sendable () -> any SchedulerType) {
        var replaced = Maker(makeScheduler)
        choice.withLock { swap(&$0.ordinary, &replaced) }
    }

    /// Runs `action` while drivers and signals are made to deliver on `scheduler`. See ``mock(makeScheduler:action:)``.
    ///
    ///     let time = TestScheduler(initialClock: 0)
    ///     SharingScheduler.mock(scheduler: time) { time.advanceTo(300) }
    public static func mock(scheduler: any SchedulerType, action: () throws -> Void) rethrows {
        nonisolated(unsafe) let scheduler = scheduler  // any thread may use a scheduler
        try mock(makeScheduler: { scheduler }, action: action)
    }

    /// Runs `action` while drivers and signals are made to deliver on what `makeScheduler` makes.
    ///
    /// Mocks nest; none outlives its action. Tests that run side by side do not disturb each other: `action` and the
    /// tasks that it starts see their own mock, other tasks see none, and a thread that runs no task sees the latest.
    @preconcurrency
    public static func mock(makeScheduler: @escaping @Sendable () -> any SchedulerType, action: () throws -> Void)
        rethrows
    {
        let mock = Maker(makeScheduler)
        choice.withLock { $0.mocks.append(mock) }
        defer { choice.withLock { $0.mocks.removeAll { $0 === mock } } }
        try mockOfThisTask.withValue(mock, operation: action)
    }

    /// Where controls are subscribed to: on what ``use(_:)`` gave, else on the main queue. No mock moves them, as none
    /// does in RxSwift.
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

    /// A closure with an identity.
    ///
    /// `@unchecked Sendable`: it never changes. Who gives the closure makes drivers on several threads, or does not.
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
        /// The mocks that run now, the latest last.
        var mocks: [Maker] = []
    }
}
