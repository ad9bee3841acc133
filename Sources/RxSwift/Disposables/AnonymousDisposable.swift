/// Calls a closure when it is disposed, once.
///
/// - `action`: written before the object is shared, then owned by the one caller that marks it disposed.
@usableFromInline
final class AnonymousDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // because of the guard above
    @exclusivity(unchecked)
    private var action: (() -> Void)?

    @usableFromInline
    init(_ action: consuming @escaping () -> Void) {
        self.action = consume action
    }

    @usableFromInline
    var isDisposed: Bool { isMarkedDisposed }

    @usableFromInline
    func dispose() {
        guard markDisposed() else { return }
        action.take()?()
    }
}
