/// The disposable of a subscription that ended before `subscribe` returned.
@usableFromInline
struct EndedDisposable: Cancelable, Sendable {
    @inlinable
    init() {}

    @inlinable
    var isDisposed: Bool { true }

    @inlinable
    func dispose() {}
}
