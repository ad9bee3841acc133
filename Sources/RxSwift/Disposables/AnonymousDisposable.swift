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

    /// Calls the closure of `disposable`, if it is one of these and the caller alone has it, who lets it go next. It is
    /// spared the mark: nobody is left who could dispose of it, too, or ask.
    ///
    /// - Returns: false, and nothing is done, where it is something else or others have it.
    @inline(__always)
    static func callLast(_ disposable: any _DisposableReference) -> Bool {
        let object = Unmanaged<AnyObject>.passUnretained(disposable)
        guard type(of: disposable) == AnonymousDisposable.self, ReferenceCounts.isSingle(object) else { return false }
        let me = unsafeDowncast(disposable, to: AnonymousDisposable.self)
        if !me.isMarkedDisposed { me.action() }
        return true
    }
}
