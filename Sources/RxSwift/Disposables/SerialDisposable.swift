/// Holds one disposable, and disposes of it when another disposable is assigned.
///
/// Any thread may assign, read and dispose. After the disposal, an assigned disposable is disposed of at once. No lock
/// is held while a disposable is disposed of.
///
/// Guards: `lock` protects `current`. *disposed* is set under the lock.
public final class SerialDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // see the guards above
    private var current: (any Disposable)?

    /// Makes an empty holder.
    override public init() {}

    deinit {
        if current != nil { freeIteratively() }
    }

    override func give(to freed: inout FreedDisposables) {
        freed.take(lock.withLock { current.take() })
    }

    public var isDisposed: Bool { isMarkedDisposed }

    /// The current disposable. Assigning another one disposes of the current one.
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

    public func dispose() {
        disposeIteratively()
    }

    public func _dispose(into worklist: inout _DisposalWorklist) {
        let held = lock.withLock { markDisposed() ? current.take() : nil }
        if let held { worklist.push(held._reference) }
    }
}
