/// Functions that make disposables.
public struct Disposables {
    private init() {}

    /// A disposable that does nothing.
    public static func create() -> any Disposable {
        NopDisposable.noOp
    }

    /// A disposable that calls a closure once. The first thread that disposes calls `dispose`, without a lock, and
    /// then releases it.
    @inlinable
    @preconcurrency
    public static func create(with dispose: @escaping @Sendable () -> Void) -> any Cancelable {
        AnonymousDisposable(dispose)
    }

    /// A disposable that disposes of `disposable1`, then of `disposable2`.
    @inlinable
    public static func create(_ disposable1: any Disposable, _ disposable2: any Disposable) -> any Cancelable {
        BinaryDisposable(disposable1._reference, disposable2._reference)
    }

    /// A disposable that disposes of `disposable1`, `disposable2` and `disposable3`, in order.
    @inlinable
    public static func create(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable
    ) -> any Cancelable {
        CompositeDisposable(disposable1, disposable2, disposable3)
    }

    /// A disposable that disposes of `disposable1`, `disposable2`, `disposable3` and the further `disposables`, in
    /// order.
    public static func create(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
        _ disposables: any Disposable...
    ) -> any Cancelable {
        CompositeDisposable(disposables: [disposable1, disposable2, disposable3] + disposables)
    }

    /// A disposable that disposes of all `disposables`, in order.
    public static func create(_ disposables: [any Disposable]) -> any Cancelable {
        switch disposables.count {
        case 2: create(disposables[0], disposables[1])
        default: CompositeDisposable(disposables: disposables)
        }
    }
}
