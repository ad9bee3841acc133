/// A ``Disposable`` that knows whether it is disposed.
public protocol Cancelable: Disposable {
    /// Whether `dispose()` has been called.
    ///
    /// A ``DisposeBag`` and a ``CompositeDisposable`` ask for it, to forget what is disposed; any thread may.
    var isDisposed: Bool { get }
}

extension Cancelable {
    /// What is disposed is spent.
    @inlinable
    public var _isSpent: Bool { isDisposed }
}
