/// Something that can be given up: a subscription, a timer, a resource.
///
/// `dispose()` may be called from any thread, any number of times; only the first call does something.
public protocol Disposable {
    /// Gives the resource up.
    func dispose()

    /// Whether nothing is left to dispose of, so that a container may forget it. For the containers of this library.
    var _isSpent: Bool { get }

    /// The disposable as a reference: itself, if it is an object. A container keeps two words of it, and copies it for
    /// one retain.
    var _reference: any _DisposableReference { get }

    /// Disposes; a container hands over what it holds, instead of disposing of it on the caller's stack. For the
    /// containers of this library.
    func _dispose(into agenda: inout _DisposalAgenda)
}

extension Disposable {
    /// A plain disposable never says whether it is disposed, so a container keeps it.
    @inlinable
    public var _isSpent: Bool { false }

    /// A value is put into an object.
    @inlinable
    public var _reference: any _DisposableReference { DisposableValue(self) }

    /// A plain disposable holds nothing that could be handed over.
    @inlinable
    public func _dispose(into agenda: inout _DisposalAgenda) {
        dispose()
    }
}

extension Disposable where Self: AnyObject {
    /// An object is its own reference.
    @inlinable
    public var _reference: any _DisposableReference { self }
}

/// A disposable that is an object.
///
/// It is public only because ``Disposable`` mentions it.
public typealias _DisposableReference = Disposable & AnyObject

/// The object that a disposable value is put into.
@usableFromInline
final class DisposableValue<Value: Disposable>: Disposable {
    private let value: Value

    @usableFromInline
    init(_ value: Value) {
        self.value = value
    }

    @usableFromInline
    func dispose() {
        value.dispose()
    }

    @usableFromInline
    var _isSpent: Bool { value._isSpent }

    @usableFromInline
    func _dispose(into agenda: inout _DisposalAgenda) {
        value._dispose(into: &agenda)
    }
}
