/// The disposable of a subscription that ended before `subscribe` returned. Its disposal has no effect.
@usableFromInline
struct EndedDisposable: Cancelable, Sendable {
    @inlinable
    init() {}

    @inlinable
    var isDisposed: Bool { true }

    @inlinable
    func dispose() {}
}
