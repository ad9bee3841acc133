/// An action that waits for its turn in virtual time, and the handle that takes it back.
///
/// The action is freed when it has run and when it is disposed of, whichever comes first, not when the queue gets to
/// the item.
final class VirtualTimeItem<Time>: Disposable {
    let time: Time

    /// Tells items of the same time apart: the one scheduled first runs first.
    let sequence: UInt64

    private let action: Locked<(() -> any Disposable)?>
    private let result = SingleAssignmentDisposable()

    init(time: Time, sequence: UInt64, action: @escaping () -> any Disposable) {
        self.time = time
        self.sequence = sequence
        self.action = Locked(action)
    }

    var isDisposed: Bool { result.isDisposed }

    var _isSpent: Bool { isDisposed }

    /// Runs the action, unless it has run or is disposed of.
    func run() {
        guard let action = action.withLock({ $0.take() }) else { return }
        result.setDisposable(action())
    }

    func dispose() {
        disposeIteratively()
    }

    func _dispose(into agenda: inout _DisposalAgenda) {
        _ = action.withLock { $0.take() }
        agenda.push(result)
    }
}
