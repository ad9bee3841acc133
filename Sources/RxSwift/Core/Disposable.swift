/// Something that can be given up: a subscription, a timer, a resource.
///
/// `dispose()` may be called from any thread, any number of times; only the first call does something.
public protocol Disposable {
    /// Gives the resource up.
    func dispose()

    /// Whether nothing is left to dispose of, so that a container may forget it. For the containers of this library.
    var _isSpent: Bool { get }

    /// Disposes; a container hands over what it holds, instead of disposing of it on the caller's stack. For the containers of this library.
    func _dispose(into agenda: inout _DisposalAgenda)
}

extension Disposable {
    /// A plain disposable never says whether it is disposed, so a container keeps it.
    @inlinable
    public var _isSpent: Bool { false }

    /// A plain disposable holds nothing that could be handed over.
    @inlinable
    public func _dispose(into agenda: inout _DisposalAgenda) {
        dispose()
    }
}
