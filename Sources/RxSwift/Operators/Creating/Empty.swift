extension ObservableType {
    /// A sequence that completes at once.
    ///
    ///     empty(): |
    ///
    /// ![Nothing but the end](marble-empty)
    ///
    /// The completion comes before `subscribe` returns, on the subscribing thread.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// ## See Also
    ///
    /// - [empty-never-throw on reactivex.io](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    @inline(never)
    public static func empty() -> Observable<Element> {
        AtOnce { _, context in
            context.end(nil)
            return nil
        }
    }

    /// A sequence that never sends anything.
    ///
    ///     never(): ----
    ///
    /// ![Nothing, and no end](marble-never)
    ///
    /// Only disposal ends the sequence.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// ## See Also
    ///
    /// - [empty-never-throw on reactivex.io](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    @inline(never)
    public static func never() -> Observable<Element> {
        AtOnce { _, _ in nil }
    }

    /// A sequence that fails at once.
    ///
    ///     error(e): #
    ///
    /// ![Nothing but an error](marble-error)
    ///
    /// The error comes before `subscribe` returns, on the subscribing thread.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// ## See Also
    ///
    /// - [empty-never-throw on reactivex.io](https://reactivex.io/documentation/operators/empty-never-throw.html)
    @inlinable
    @inline(never)
    public static func error(_ error: any Swift.Error) -> Observable<Element> {
        Failure(error)
    }
}

@usableFromInline
class AtOnce<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @inlinable
    override init(join: @escaping Join) {
        super.init(join: join)
    }

    @usableFromInline
    override var isTrampolined: Bool { false }
}

@usableFromInline
final class Failure<Element>: AtOnce<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let error: any Swift.Error

    @inlinable
    init(_ error: any Swift.Error) {
        self.error = error
        super.init { base, context in
            context.end(unsafeDowncast(base, to: Failure<Element>.self).error)
            return nil
        }
    }
}
