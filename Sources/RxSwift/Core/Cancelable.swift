/// A ``Disposable`` that reports whether it has been disposed of.
public protocol Cancelable: Disposable {
    /// Whether `dispose()` has been called. Containers of disposables read this property on any thread.
    var isDisposed: Bool { get }
}

extension Cancelable {
    @inlinable
    public var _isSpent: Bool { isDisposed }
}
