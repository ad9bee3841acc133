/// A subscription, a timer or another resource that can be released.
///
/// `dispose()` may be called from any thread, any number of times. Only the first call has an effect.
public protocol Disposable {
    /// Ends the subscription, or releases the resource.
    func dispose()

    /// Whether nothing is left to dispose of, so that a container may release it. Used by the containers of this
    /// library.
    var _isSpent: Bool { get }

    /// The disposable as an object: itself if it is one. A container stores this reference in two words, and copies it
    /// with one retain.
    var _reference: any _DisposableReference { get }

    /// Disposes. A container pushes its contents onto the worklist instead of disposing of them on the caller's stack.
    /// Used by the containers of this library.
    func _dispose(into worklist: inout _DisposalWorklist)
}

extension Disposable {
    /// A plain disposable does not report whether it is disposed of, so a container retains it.
    @inlinable
    public var _isSpent: Bool { false }

    /// A value is wrapped in an object.
    @inlinable
    public var _reference: any _DisposableReference { DisposableValue(self) }

    /// A plain disposable has no contents to push.
    @inlinable
    public func _dispose(into worklist: inout _DisposalWorklist) {
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
/// It is public only because ``Disposable`` refers to it.
public typealias _DisposableReference = Disposable & AnyObject

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
    func _dispose(into worklist: inout _DisposalWorklist) {
        value._dispose(into: &worklist)
    }
}
