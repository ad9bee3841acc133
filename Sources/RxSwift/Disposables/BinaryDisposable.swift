/// Disposes of two others, in order.
///
/// - `first`, `second`: written before the object is shared, then owned by the one caller that marks it disposed.
final class BinaryDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // because of the guard above
    @exclusivity(unchecked)
    private var first: (any _DisposableReference)?
    @exclusivity(unchecked)
    private var second: (any _DisposableReference)?

    init(_ first: any Disposable, _ second: any Disposable) {
        self.first = first._reference
        self.second = second._reference
    }

    deinit {
        if !isMarkedDisposed { freeIteratively() }
    }

    override func give(to freed: inout FreedDisposables) {
        guard markDisposed() else { return }
        freed.take(first.take())
        freed.take(second.take())
    }

    var isDisposed: Bool { isMarkedDisposed }

    func dispose() {
        disposeIteratively()
    }

    func _dispose(into agenda: inout _DisposalAgenda) {
        guard markDisposed() else { return }
        if let second = second.take() { agenda.push(second) }
        if let first = first.take() { agenda.push(first) }
    }
}
