internal import CRxCore

/// The word of a scheduled action: bit 0 *disposed*, bit 1 *begun*, bit 2 *result set*. No bit is ever cleared.
///
/// The thread that sets the first of *disposed* and *begun* owns the work. The result is written before *result set*.
/// The thread that sets the second of *disposed* and *result set* owns the result.
enum ActionWord {
    private static let disposed: UInt = 1
    private static let begun: UInt = 2
    private static let resultSet: UInt = 4

    static func isDisposed(_ word: UnsafeMutablePointer<crx_flag>) -> Bool {
        crx_flag_load_acquire(word) & disposed != 0
    }

    /// Whether the caller now owns the work and must run it.
    static func begin(_ word: UnsafeMutablePointer<crx_flag>) -> Bool {
        crx_flag_fetch_or_acq_rel(word, begun) & (disposed | begun) == 0
    }

    /// Whether the caller now owns the result, because the action has been disposed of.
    static func setResult(_ word: UnsafeMutablePointer<crx_flag>) -> Bool {
        crx_flag_fetch_or_acq_rel(word, resultSet) & disposed != 0
    }

    /// Returns the parts that the caller now owns and must release.
    static func dispose(_ word: UnsafeMutablePointer<crx_flag>) -> (work: Bool, result: Bool) {
        let old = crx_flag_fetch_or_acq_rel(word, disposed)
        if old & disposed != 0 { return (false, false) }
        return (old & begun == 0, old & resultSet != 0)
    }
}

/// A scheduled action of a user. The same object is the job and the `Disposable`.
///
/// Guard: `work` and `result` are owned as described at ``ActionWord``.
@usableFromInline
final class ScheduledAction: ScheduledJob, Cancelable, @unchecked Sendable {  // because of the guards above
    private var work: (() -> any Disposable)?
    private var result: (any Disposable)?

    @usableFromInline
    init(_ work: @escaping () -> any Disposable) {
        self.work = work
    }

    @usableFromInline
    var isDisposed: Bool { ActionWord.isDisposed(flag) }

    override func run() {
        guard ActionWord.begin(flag), let work = work.take() else { return }
        let made = work()
        if type(of: made) == NopDisposable.self { return }
        result = made
        if ActionWord.setResult(flag) { result.take()?.dispose() }
    }

    @usableFromInline
    func dispose() {
        disposeIteratively()
    }

    @usableFromInline
    func _dispose(into worklist: inout _DisposalWorklist) {
        let owned = ActionWord.dispose(flag)
        if owned.work { work = nil }
        if owned.result, let result = result.take() { worklist.push(result._reference) }
    }

    @usableFromInline
    override func drop() {
        dispose()
    }
}
