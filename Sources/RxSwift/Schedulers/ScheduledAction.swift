internal import CRxCore

/// A user's action on its way to a scheduler: job and Disposable in one object.
///
/// The word: bit 0 *disposed*, bit 1 *begun*, bit 2 *result set*.
/// - `work`: owned by whoever set the first of *disposed* and *begun*: it is freed at a disposal, or when it has run.
/// - `result`: written before *result set*, then owned by whoever set the second of *result set* and *disposed*.
@usableFromInline
final class ScheduledAction: ScheduledJob, Cancelable, @unchecked Sendable {  // because of the guards above
    private static let disposed: UInt = 1
    private static let begun: UInt = 2
    private static let resultSet: UInt = 4

    @exclusivity(unchecked)
    private var work: (() -> any Disposable)?
    @exclusivity(unchecked)
    private var result: (any Disposable)?

    @usableFromInline
    init(_ work: @escaping () -> any Disposable) {
        self.work = work
    }

    @usableFromInline
    var isDisposed: Bool { crx_flag_load_acquire(flag) & Self.disposed != 0 }

    override func run() {
        guard crx_flag_fetch_or_acq_rel(flag, Self.begun) & (Self.disposed | Self.begun) == 0, let work = work.take() else { return }
        let made = work()
        if made is NopDisposable { return }
        result = made
        if crx_flag_fetch_or_acq_rel(flag, Self.resultSet) & Self.disposed != 0 { result.take()?.dispose() }
    }

    @usableFromInline
    func dispose() {
        disposeIteratively()
    }

    @usableFromInline
    func _dispose(into agenda: inout _DisposalAgenda) {
        let old = crx_flag_fetch_or_acq_rel(flag, Self.disposed)
        if old & Self.disposed != 0 { return }
        if old & Self.begun == 0 { work = nil }
        if old & Self.resultSet != 0, let result = result.take() { agenda.push(result._reference) }
    }
}
