/// Disposes of two other disposables, in order.
///
/// Guards: `first` and `second` are written before the object is shared. Then only the thread that sets *disposed* uses
/// them.
@usableFromInline
final class BinaryDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // see the guards above
    private var first: (any _DisposableReference)?
    private var second: (any _DisposableReference)?

    @usableFromInline
    init(_ first: consuming any _DisposableReference, _ second: consuming any _DisposableReference) {
        self.first = consume first
        self.second = consume second
    }

    deinit {
        if !isMarkedDisposed { freeIteratively() }
    }

    override func give(to freed: inout FreedDisposables) {
        guard markDisposed() else { return }
        freed.take(first.take())
        freed.take(second.take())
    }

    @usableFromInline
    var isDisposed: Bool { isMarkedDisposed }

    @usableFromInline
    func dispose() {
        disposeIteratively()
    }

    @usableFromInline
    func _dispose(into worklist: inout _DisposalWorklist) {
        guard markDisposed() else { return }
        if let second = second.take() { worklist.push(second) }
        if let first = first.take() { worklist.push(first) }
    }
}
