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
/// Time is virtual. A timer fires when the exploration's schedule chooses it, but only after all timers of the world
/// that are due earlier. Then the clock advances to the timer's time.
///
/// - Order: jobs run in the order of scheduling, timers in the order of their due times.
/// - If an uncontrolled thread schedules work during the run, the exploration fails.
/// - If the program does not dispose of a periodic action, the run does not end.
/// - Disposal: an action disposed of before its turn never runs and does not move the clock.
///
/// Guard: used by the exploring thread before and after the run, and by the running controlled thread during the run.
public final class ExploredScheduler: SchedulerType, @unchecked Sendable {  // because of the guard above
    private unowned let world: ExploredWorld
    let name: String
    private var jobs: [ExploredJob] = []
    private var isDraining = false

    init(_ world: ExploredWorld, _ name: String) {
        self.world = world
        self.name = name
    }

    /// The virtual time, which begins at the reference date.
    public var now: Date { Date(timeIntervalSinceReferenceDate: Double(world.clock.now) / 1e9) }

    @preconcurrency
    public func schedule<StateType>(
        _ state: StateType, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        let job = ExploredJob { action(state) }
        enqueue(job)
        return job.disposable
    }

    @preconcurrency
    public func scheduleRelative<StateType>(
        _ state: StateType, dueTime: RxTimeInterval, action: @escaping @Sendable (StateType) -> any Disposable
    ) -> any Disposable {
        guard isUsable() else { return Disposables.create() }
        let job = ExploredJob { action(state) }
        world.clock.add(job, after: dueTime.nanosecondsInInt, on: self, in: world)
        return job.disposable
    }

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

/// Guard: used by the exploring thread before and after the run, and by the running controlled thread during the run.
final class ExploredClock {
    private struct Timer {
        var deadline: Int
        var job: ExploredJob
        var scheduler: ExploredScheduler
    }

    private(set) var now = 0
    /// The timers, sorted by deadline, then by the order of scheduling.
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
