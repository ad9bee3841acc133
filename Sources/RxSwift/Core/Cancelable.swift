/// A ``Disposable`` that reports whether it is disposed of.
public protocol Cancelable: Disposable {
    /// Whether `dispose()` has been called.
    ///
    /// A ``DisposeBag`` and a ``CompositeDisposable`` check it on any thread, to release disposables that are already
    /// disposed.
    var isDisposed: Bool { get }
}

extension Cancelable {
    /// Nothing is left to dispose of once the object is disposed of.
    @inlinable
    public var _isSpent: Bool { isDisposed }
}
