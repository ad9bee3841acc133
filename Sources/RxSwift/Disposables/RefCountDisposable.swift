internal import CRxCore

/// Disposes of a *held* disposable when this object and all disposables that ``retain()`` returned have been disposed
/// of. Any thread may retain.
///
/// Guards:
/// - `retained`: protected by `lock`. *disposed* is set under the lock. If *disposed* is set, a count of zero is final.
/// - `held`: written before the object is shared. Then used only by the thread that sets *disposed* or makes the count
///   zero, whichever happens last.
public final class RefCountDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // see the guards above
    private var retained = 0
    private var held: (any _DisposableReference)?

    /// Makes a reference count for `disposable`.
    public init(disposable: any Disposable) {
        held = disposable._reference
    }

    deinit {
        if held != nil { freeIteratively() }
    }

    override func give(to freed: inout FreedDisposables) {
        freed.take(held.take())
    }

    /// Whether the held disposable has been disposed of.
    public var isDisposed: Bool { lock.withLock { isOver_locked } }

    private var isOver_locked: Bool { isMarkedDisposed && retained == 0 }

    /// A disposable that delays the disposal of the held disposable until its own disposal.
    public func retain() -> any Disposable {
        retain(as: RefCountInnerDisposable.self)
    }

    func retain(as type: RefCountInnerDisposable.Type) -> any Disposable {
        let isKept = lock.withLock {
            if isOver_locked { return false }
            retained += 1
            return true
        }
        return isKept ? type.init(self) : NopDisposable.noOp
    }

    public func dispose() {
        disposeIteratively()
    }

    public func _dispose(into worklist: inout _DisposalWorklist) {
        if lock.withLock({ markDisposed() && retained == 0 }) { release(into: &worklist) }
    }

    fileprivate func release(oneInto worklist: inout _DisposalWorklist) {
        let isLast = lock.withLock {
            retained -= 1
            return isOver_locked
        }
        if isLast { release(into: &worklist) }
    }

    private func release(into worklist: inout _DisposalWorklist) {
        if let held = held.take() { worklist.push(held) }
    }
}

/// On its first disposal, decrements the parent's count.
///
/// Guards: `parent` is written before the object is shared. Then only the thread that sets *disposed* uses it.
class RefCountInnerDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // see the guards above
    private final var parent: RefCountDisposable?

    required init(_ parent: consuming RefCountDisposable) {
        self.parent = parent
    }

    deinit {
        if !isMarkedDisposed { freeIteratively() }
    }

    final override func give(to freed: inout FreedDisposables) {
        if markDisposed() { freed.take(parent.take()) }
    }

    final var isDisposed: Bool { isMarkedDisposed }

    final func dispose() {
        disposeIteratively()
    }

    final func _dispose(into worklist: inout _DisposalWorklist) {
        guard markDisposed() else { return }
        parent.take()?.release(oneInto: &worklist)
    }

    /// The operator, such as `groupBy`, that sent the subscribed sequence as an element; nil if unknown.
    var sourceName: String? { nil }
}
