/// Holds one disposable at a time and disposes of the one that is replaced.
///
/// Any thread may assign, ask and dispose. What is assigned to a disposed one is disposed of at once. No lock is held
/// while a disposable is disposed of.
///
/// - `current`: guarded by `lock`; *disposed* is set under it.
public final class SerialDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // because of the guard above
    private var current: (any Disposable)?

    /// Makes an empty one.
    override public init() {}

    deinit {
        if current != nil { freeIteratively() }
    }

    override func give(to freed: inout FreedDisposables) {
        freed.take(lock.withLock { current.take() })
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool { isMarkedDisposed }

    /// The disposable held now; assigning another one disposes of it.
    public var disposable: any Disposable {
        get { lock.withLock { current } ?? NopDisposable.noOp }
        set {
            var replaced: (any Disposable)? = consume newValue
            lock.withLock {
                if !isMarkedDisposed { swap(&current, &replaced) }
            }
            replaced?.dispose()
        }
    }

    /// Disposes of what is held, and of everything that will be assigned.
    public func dispose() {
        disposeIteratively()
    }

    public func _dispose(into agenda: inout _DisposalAgenda) {
        let held = lock.withLock { markDisposed() ? current.take() : nil }
        if let held { agenda.push(held._reference) }
    }
}
