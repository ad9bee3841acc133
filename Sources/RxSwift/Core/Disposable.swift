/// A subscription, a timer or another resource that can be released.
///
/// Any thread may call `dispose()`, any number of times. Only the first call has an effect.
public protocol Disposable {
    /// Ends the subscription, or releases the resource.
    func dispose()

    /// If true, `dispose()` has no effect any more, so a container may release this object. May stay false after a
    /// disposal.
    var _isSpent: Bool { get }

    /// The disposable as an object. A container stores the object in two words and copies it with one retain.
    var _reference: any _DisposableReference { get }

    /// Disposes of this object. A container pushes its contents onto `worklist` instead, to avoid recursion.
    func _dispose(into worklist: inout _DisposalWorklist)
}

extension Disposable {
    @inlinable
    public var _isSpent: Bool { false }

    @inlinable
    public var _reference: any _DisposableReference { DisposableValue(self) }

    @inlinable
    public func _dispose(into worklist: inout _DisposalWorklist) {
        dispose()
    }
}

extension Disposable where Self: AnyObject {
    @inlinable
    public var _reference: any _DisposableReference { self }
}

/// A disposable that is an object. Public only because ``Disposable`` refers to it.
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
