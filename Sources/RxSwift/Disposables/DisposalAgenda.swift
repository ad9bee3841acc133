/// What a tree of disposables still has to dispose of: a stack on the heap, so that a chain of any length fits any
/// thread's stack.
///
/// It is public only because ``Disposable`` mentions it.
public struct _DisposalAgenda {
    /// The next one and the one after it; apart from the others, so that a container with two children allocates
    /// nothing.
    @usableFromInline
    var top: (any _DisposableReference)?
    @usableFromInline
    var second: (any _DisposableReference)?

    /// Those after them, the last first.
    @usableFromInline
    var rest: ContiguousArray<any _DisposableReference> = []

    @inlinable
    init() {}

    /// Puts one disposable before all that wait.
    @inlinable
    mutating func push(_ disposable: consuming any _DisposableReference) {
        if let second = second.take() { rest.append(second) }
        second = top.take()
        top = disposable
    }

    /// Disposes of everything, in order; what a container hands over takes the container's place.
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
    /// Disposes of a container and of all that it holds, without recursion.
    @inlinable
    func disposeIteratively() {
        var agenda = _DisposalAgenda()
        _dispose(into: &agenda)
        agenda.run()
    }
}
