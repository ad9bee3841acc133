/// Calls a closure when it is disposed, once.
///
/// - `action`: written before the object is shared, then owned by the one caller that marks it disposed, or that alone
///   has the object.
@usableFromInline
final class AnonymousDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // because of the guard above
    @exclusivity(unchecked)
    private var action: Action

    /// A closure that is called in its place: a copy would be counted.
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

    /// Disposes of `disposable` and lets it go, if it is one of these and nobody else has it. It is spared the mark:
    /// nobody is left who could dispose of it, too, or ask.
    ///
    /// - Returns: what was handed over, where it is something else or others have it.
    @inline(__always)
    static func callLast(_ disposable: consuming any _DisposableReference) -> (any _DisposableReference)? {
        let object = Unmanaged<AnyObject>.passUnretained(disposable)
        guard type(of: disposable) == AnonymousDisposable.self, ReferenceCounts.isSingle(object) else {
            return disposable
        }
        let last = Unmanaged.passRetained(unsafeDowncast(consume disposable, to: AnonymousDisposable.self))
        last._withUnsafeGuaranteedRef { $0.action() }
        ReferenceCounts.releaseSingle(last)
        return nil
    }
}
