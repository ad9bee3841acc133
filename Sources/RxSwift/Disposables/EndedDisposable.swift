/// What a subscription that has ended before it was returned leaves to dispose of: nothing.
@usableFromInline
struct EndedDisposable: Cancelable, Sendable {
    @inlinable
    init() {}

    @inlinable
    var isDisposed: Bool { true }

    @inlinable
    func dispose() {}
}
