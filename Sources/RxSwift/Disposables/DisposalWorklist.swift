/// A stack of disposables that remain to be disposed of. It is on the heap, so that nested containers of any depth fit
/// any thread's stack.
///
/// It is public only because ``Disposable`` refers to it.
public struct _DisposalWorklist {
    /// The next disposable and the one after it. They are stored apart from `rest`, so that a container with two
    /// children needs no allocation.
    @usableFromInline
    var top: (any _DisposableReference)?
    @usableFromInline
    var second: (any _DisposableReference)?

    /// The disposables after those two, in reverse order.
    @usableFromInline
    var rest: ContiguousArray<any _DisposableReference> = []

    @inlinable
    init() {}

    /// Adds a disposable ahead of all others.
    @inlinable
    mutating func push(_ disposable: consuming any _DisposableReference) {
        if let second = second.take() { rest.append(second) }
        second = top.take()
        top = disposable
    }

    /// Disposes of everything, in order. The contents of a container take the container's place.
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
    /// Disposes of a container and all of its contents, without recursion.
    @inlinable
    func disposeIteratively() {
        var worklist = _DisposalWorklist()
        _dispose(into: &worklist)
        worklist.run()
    }
}
