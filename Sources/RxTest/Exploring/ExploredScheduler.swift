internal import CRxCore
public import Dispatch
#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
public import RxSwift

/// A serial scheduler of an ``ExploredWorld``. Its jobs run on a thread of the world.
///
/// Time is virtual. A timer fires when the exploration's schedule chooses it, but after all timers of the world that
/// are due earlier. The clock then advances to the timer's time. So a timer may fire before or after any step of other
/// threads.
///
/// - Order: jobs run in the order of scheduling, timers in the order of their due times.
/// - If a thread that the world does not control schedules work while the threads run, the exploration fails.
/// - A periodic action makes the run endless unless the program disposes of it.
/// - Disposal: an action disposed of before its turn never runs and does not move the clock.
///
/// Guard: used by the exploring thread before and after the run, and during the run by the one controlled thread that
/// is running.
public final class ExploredScheduler: SchedulerType, @unchecked Sendable {  // because of the guard above
    private unowned let world: ExploredWorld
    let name: String
    private var jobs: [ExploredJob] = []
    private var isDraining = false

    init(_ world: ExploredWorld, _ name: String) {
        self.world = world
        self.name = name
    }

    /// The world's virtual time. It begins at the reference date.
    public var now: Date { Date(timeIntervalSinceReferenceDate: Double(world.clock.now) / 1e9) }

    /// Schedules an action that runs after all jobs that are already queued on this scheduler.
    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ExploredJob { action(state) }
        enqueue(job)
        return job.disposable
    }

    /// Schedules an action after a span of virtual time.
    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        guard isUsable() else { return Disposables.create() }
        let job = ExploredJob { action(state) }
        world.clock.add(job, after: dueTime.nanosecondsInInt, on: self, in: world)
        return job.disposable
    }

    /// Schedules an action repeatedly in virtual time.
    @preconcurrency
    public func schedulePeriodic<StateType>(
        _ state: StateType, startAfter: RxTimeInterval, period: RxTimeInterval,
        action: @escaping @Sendable (StateType) -> StateType
    ) -> any Disposable {
        let next = SerialDisposable()
        nonisolated(unsafe) var state = state  // used only by the running thread, like this object
        @Sendable func arm(_ span: RxTimeInterval) {
            next.disposable = scheduleRelative((), dueTime: span) { _ in
                state = action(state)
                if !next.isDisposed { arm(period) }
                return Disposables.create()
            }
        }
        arm(startAfter)
        return next
    }

    private func isUsable() -> Bool {
        if crx_explore_current() >= 0 || world.phase != .running { return true }
        world.refuse("the scheduler \"\(name)\" was used on a thread that the world does not control")
        return false
    }

    func enqueue(_ job: ExploredJob) {
        guard isUsable() else { return }
        jobs.append(job)
        if crx_explore_current() >= 0 { start() }
    }

    func start() {
        guard !isDraining, !jobs.isEmpty else { return }
        isDraining = true
        world.spawn(name) { [self] in
            while let job = jobs.first {
                ControlPoint.mark("a job of a scheduler")
                jobs.removeFirst()
                if !job.disposable.isDisposed { world.show("runs a job") }
                job.run()
            }
            isDraining = false
        }
    }

    func end() {
        jobs = []
    }
}

final class ExploredJob {
    let disposable = SingleAssignmentDisposable()
    private var work: (() -> any Disposable)?

    init(_ work: @escaping () -> any Disposable) {
        self.work = work
    }

    func run() {
        let work = work.take()
        if let work, !disposable.isDisposed { disposable.setDisposable(work()) }
    }
}

/// The virtual time and the pending timers of a world. Guard: as for ``ExploredScheduler``.
final class ExploredClock {
    private struct Timer {
        var deadline: Int
        var job: ExploredJob
        var scheduler: ExploredScheduler
    }

    private(set) var now = 0
    /// Sorted by deadline, and for equal deadlines by the order of scheduling.
    private var timers: [Timer] = []
    private var isTicking = false

    func add(_ job: ExploredJob, after span: Int, on scheduler: ExploredScheduler, in world: ExploredWorld) {
        let deadline = now.advanced(bySaturating: span)
        if deadline == .max { return }
        let place = timers.firstIndex { $0.deadline > deadline } ?? timers.endIndex
        timers.insert(Timer(deadline: deadline, job: job, scheduler: scheduler), at: place)
        if crx_explore_current() >= 0 { start(world) }
    }

    func start(_ world: ExploredWorld) {
        guard !isTicking, !timers.isEmpty else { return }
        isTicking = true
        world.spawn("clock") { [self] in
            while true {
                timers.removeAll { $0.job.disposable.isDisposed }
                if timers.isEmpty { break }
                ControlPoint.mark("a timer")
                guard let next = timers.first else { break }
                timers.removeFirst()
                if next.job.disposable.isDisposed { continue }
                now = max(now, next.deadline)
                world.show("timer of \(next.scheduler.name)")
                next.scheduler.enqueue(next.job)
            }
            isTicking = false
        }
    }
}
