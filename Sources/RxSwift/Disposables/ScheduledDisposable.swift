internal import CRxCore

/// Disposes of another disposable on a scheduler.
///
/// A scheduler that has been shut down lets the disposal go; then the other one is disposed of at once, on that thread.
///
/// Any thread may dispose. The word: bit 0 *the other one is disposed*, bit 1 *its disposal is scheduled*.
/// - `held`: written before the object is shared, then owned by who sets bit 0.
// @unchecked Sendable because of the guard above, and what a scheduler promises.
public final class ScheduledDisposable: Cancelable, @unchecked Sendable {
    // The first stored property: `FlagAndLock.flag(of: self)` is its address.
    private let word = crx_flag()

    /// Where the other disposable is disposed of.
    public let scheduler: any ImmediateSchedulerType

    private var held: (any Disposable)?

    /// Makes one over `disposable`.
    ///
    /// - Parameters:
    ///   - scheduler: where it is disposed of.
    ///   - disposable: what is disposed of there.
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

    /// Moves what is held out, to be released without being disposed of. Called by `deinit`, or by the only owner.
    func give(to freed: inout FreedDisposables) {
        guard crx_flag_fetch_or_acq_rel(FlagAndLock.flag(of: self), 1) & 1 == 0 else { return }
        freed.take(held.take())
    }

    /// Whether the other disposable has been disposed of: some time after `dispose()`.
    public var isDisposed: Bool { crx_flag_load_acquire(FlagAndLock.flag(of: self)) & 1 != 0 }

    /// Schedules the disposal of the other disposable.
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

    /// The turn on the scheduler, which may be let go unrun.
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
