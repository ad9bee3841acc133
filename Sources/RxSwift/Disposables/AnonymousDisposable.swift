/// Calls a closure when it is disposed, once.
///
/// - `action`: written before the object is shared, then owned by the one caller that marks it disposed.
final class AnonymousDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // because of the guard above
    @exclusivity(unchecked)
    private var action: (() -> Void)?

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    var isDisposed: Bool { isMarkedDisposed }

    func dispose() {
        guard markDisposed() else { return }
        action.take()?()
    }
}
