/// A ``Disposable`` that reports whether it has been disposed of.
public protocol Cancelable: Disposable {
    /// Whether `dispose()` has been called.
    ///
    /// ``DisposeBag`` and ``CompositeDisposable`` read this property on any thread, to release disposables that have
    /// already been disposed of.
    var isDisposed: Bool { get }
}

extension Cancelable {
    /// The same as `isDisposed`.
    @inlinable
    public var _isSpent: Bool { isDisposed }
}
