/// A stack of disposables on the heap, so that nested containers need no recursion. Public only because ``Disposable``
/// refers to it.
public struct _DisposalWorklist {
    /// The next disposable. `top` and `second` are not in `rest`, so that two disposables need no allocation.
    @usableFromInline
    var top: (any _DisposableReference)?
    @usableFromInline
    var second: (any _DisposableReference)?

    /// The disposables after `second`, in reverse order.
    @usableFromInline
    var rest: ContiguousArray<any _DisposableReference> = []

    @inlinable
    init() {}

    @inlinable
    mutating func push(_ disposable: consuming any _DisposableReference) {
        if let second = second.take() { rest.append(second) }
        second = top.take()
        top = disposable
    }

    /// Disposes of everything, in order. A container is replaced by its contents.
    @inlinable
    mutating func run() {
        while let next = top.take() {
            top = second.take()
            if !rest.isEmpty { second = rest.removeLast() }
            next._dispose(into: &self)
        }
    }
}

extension Disposable {
    @inlinable
    func disposeIteratively() {
        var worklist = _DisposalWorklist()
        _dispose(into: &worklist)
        worklist.run()
    }
}
