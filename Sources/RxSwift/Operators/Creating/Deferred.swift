extension ObservableType {
    /// A sequence that `observableFactory` makes for each subscription.
    ///
    ///     deferred { .just(now()) }: (t|)
    ///
    /// ![A new sequence for each subscription](marble-deferred)
    ///
    /// [Pausing](doc:BoundedMemory): the sequence from `observableFactory` pauses with the downstream chain.
    ///
    /// - Parameter observableFactory: called on the subscribing thread. If it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - [defer on reactivex.io](https://reactivex.io/documentation/operators/defer.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> Observable<Element>
    ) -> Observable<Element> {
        Deferred(observableFactory)
    }

    @inlinable
    package static func deferredUnchecked(
        _ observableFactory: @escaping () throws -> Observable<Element>
    ) -> Observable<Element> {
        Deferred(observableFactory)
    }
}

@usableFromInline
final class Deferred<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let make: () throws -> Observable<Element>

    @inlinable
    init(_ make: @escaping () throws -> Observable<Element>) {
        self.make = make
        super.init { base, context in
            do {
                return try unsafeDowncast(base, to: Deferred<Element>.self).make()
            } catch {
                context.end(error)
                return nil
            }
        }
    }

    @usableFromInline
    override var isDeferred: Bool { true }
}
