internal import CRxCore

/// Disposes of a *held* disposable on a scheduler.
///
/// A scheduler that has been shut down releases the job without running it. Then the releasing thread disposes of the
/// held disposable.
///
/// Bit 0 of the word: the held disposable has been disposed of. Bit 1: its disposal has been scheduled.
///
/// Guards: `held` is written before the object is shared. Then only the thread that sets bit 0 uses it.
// @unchecked Sendable because of these guards, and because any thread may use a scheduler.
public final class ScheduledDisposable: Cancelable, @unchecked Sendable {
    // The first stored property, because `FlagAndLock.flag(of: self)` returns its address.
    private let word = crx_flag()

    /// The scheduler of the disposal.
    public let scheduler: any ImmediateSchedulerType

    private var held: (any Disposable)?

    /// Makes a disposable that disposes of `disposable` on `scheduler`.
    public init(scheduler: any ImmediateSchedulerType, disposable: any Disposable) {
        self.scheduler = scheduler
        held = disposable
    }

    deinit {
        guard held != nil else { return }
        var freed = FreedDisposables()
        give(to: &freed)
        freed.run()
    }

    /// See ``DisposeBase/give(to:)``.
    func give(to freed: inout FreedDisposables) {
        guard crx_flag_fetch_or_acq_rel(FlagAndLock.flag(of: self), 1) & 1 == 0 else { return }
        freed.take(held.take())
    }

    /// Whether the held disposable has been disposed of: false until the scheduler runs or releases the job.
    public var isDisposed: Bool { crx_flag_load_acquire(FlagAndLock.flag(of: self)) & 1 != 0 }

    public func dispose() {
        guard crx_flag_fetch_or_acq_rel(FlagAndLock.flag(of: self), 2) & 2 == 0 else { return }
        _ = scheduler.schedule(Turn(self)) { turn in
            turn.disposable.disposeHeld()
            return NopDisposable.noOp
        }
    }

    private func disposeHeld() {
        guard crx_flag_fetch_or_acq_rel(FlagAndLock.flag(of: self), 1) & 1 == 0 else { return }
        held.take()?.dispose()
    }

    private final class Turn {
        let disposable: ScheduledDisposable

        init(_ disposable: ScheduledDisposable) {
            self.disposable = disposable
        }

        deinit {
            disposable.disposeHeld()
        }
    }
}
