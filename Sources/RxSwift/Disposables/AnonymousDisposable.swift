/// Calls a closure at its first disposal.
///
/// Guards: `action` is written before the object is shared. Then only the thread that sets *disposed* uses it.
@usableFromInline
final class AnonymousDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // see the guards above
    private var action: Action

    /// A closure that cannot be copied, so a call does not retain it.
    private struct Action: ~Copyable {
        let closure: () -> Void

        @inline(__always)
        borrowing func callAsFunction() { closure() }
    }

    @usableFromInline
    init(_ action: consuming @escaping () -> Void) {
        self.action = Action(closure: consume action)
    }

    @usableFromInline
    var isDisposed: Bool { isMarkedDisposed }

    @usableFromInline
    func dispose() {
        guard markDisposed() else { return }
        exchange(&action, with: Action {})()
    }
}
