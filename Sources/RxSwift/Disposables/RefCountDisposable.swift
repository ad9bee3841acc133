internal import CRxCore

/// Disposes of another disposable once it is disposed itself and everything that was retained from it is, too.
///
/// Any thread may retain and dispose. The word: bit 0 *disposed itself*, above it the count of what is retained;
/// exactly 1 means that the other one is to be disposed of, and nothing leaves it.
/// - `held`: written before the object is shared, then owned by the one caller that made the word exactly 1.
public final class RefCountDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // because of the guard above
    private static let one: UInt = 2

    @exclusivity(unchecked)
    private var held: (any _DisposableReference)?

    /// Makes one over `disposable`.
    public init(disposable: any Disposable) {
        held = disposable._reference
    }

    deinit {
        if held != nil { freeIteratively() }
    }

    override func give(to freed: inout FreedDisposables) {
        freed.take(held.take())
    }

    /// Whether the other disposable has been disposed of.
    public var isDisposed: Bool { crx_flag_load_acquire(flag) == 1 }

    /// Keeps the other disposable from being disposed of until what is returned is disposed, too.
    public func retain() -> any Disposable {
        var word = crx_flag_load_relaxed(flag)
        while word != 1 {
            let seen = crx_flag_compare_and_swap_acq_rel(flag, word, word &+ Self.one)
            if seen == word { return RefCountInnerDisposable(self) }
            word = seen
        }
        return NopDisposable.noOp
    }

    /// Disposes of the other disposable as soon as nothing is retained.
    public func dispose() {
        disposeIteratively()
    }

    public func _dispose(into agenda: inout _DisposalAgenda) {
        if crx_flag_fetch_or_acq_rel(flag, 1) == 0 { release(into: &agenda) }
    }

    /// Gives one of the retained back.
    fileprivate func release(oneInto agenda: inout _DisposalAgenda) {
        if crx_flag_fetch_add_acq_rel(flag, 0 &- Self.one) == Self.one | 1 { release(into: &agenda) }
    }

    private func release(into agenda: inout _DisposalAgenda) {
        if let held = held.take() { agenda.push(held) }
    }
}

/// One of the retained; it keeps the others' common disposable alive, and gives its count back once.
///
/// - `parent`: written before the object is shared, then owned by the one caller that marks it disposed.
final class RefCountInnerDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // because of the guard above
    @exclusivity(unchecked)
    private var parent: RefCountDisposable?

    init(_ parent: RefCountDisposable) {
        self.parent = parent
    }

    deinit {
        if !isMarkedDisposed { freeIteratively() }
    }

    override func give(to freed: inout FreedDisposables) {
        if markDisposed() { freed.take(parent.take()) }
    }

    var isDisposed: Bool { isMarkedDisposed }

    func dispose() {
        disposeIteratively()
    }

    func _dispose(into agenda: inout _DisposalAgenda) {
        guard markDisposed() else { return }
        parent.take()?.release(oneInto: &agenda)
    }
}
