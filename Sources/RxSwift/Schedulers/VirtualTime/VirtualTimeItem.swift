/// An action that waits in virtual time. The action is released when it has run or is disposed of.
final class VirtualTimeItem<Time>: Disposable {
    let time: Time

    /// Orders items of the same time: the item scheduled first runs first.
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

    func run() {
        guard let action = action.withLock({ $0.take() }) else { return }
        result.setDisposable(action())
    }

    func dispose() {
        disposeIteratively()
    }

    func _dispose(into worklist: inout _DisposalWorklist) {
        _ = action.withLock { $0.take() }
        worklist.push(result)
    }
}
