@usableFromInline
struct NopDisposable: Disposable, Sendable {
    @inlinable
    static var noOp: any Disposable { NopDisposable() }

    @inlinable
    init() {}

    @inlinable
    func dispose() {}

    @inlinable
    var _isSpent: Bool { true }
}
