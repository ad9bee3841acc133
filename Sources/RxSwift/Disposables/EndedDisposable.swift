/// The disposable of a subscription that ended before it was returned. It does nothing.
@usableFromInline
struct EndedDisposable: Cancelable, Sendable {
    @inlinable
    init() {}

    @inlinable
    var isDisposed: Bool { true }

    @inlinable
    func dispose() {}
}
