extension ObservableType {
    /// A sequence that is made anew for each subscription.
    ///
    ///     deferred { .just(now()) }: (t|)
    ///
    /// ![A sequence that is made when it is subscribed](marble-deferred)
    ///
    /// [Pausing](doc:BoundedMemory): what `observableFactory` has made pauses with what is below.
    ///
    /// - Parameter observableFactory: called at each subscription, on the subscribing thread; its sequence takes the
    ///   place of this one. An error it throws ends the sequence.
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
}

@usableFromInline
final class Deferred<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let make: () throws -> Observable<Element>

    @inlinable
    init(_ make: @escaping () throws -> Observable<Element>) {
        self.make = make
        super.init { base, assembly in
            do {
                return assembly.keep(try unsafeDowncast(base, to: Deferred<Element>.self).make())
            } catch {
                assembly.end(error)
                return nil
            }
        }
    }

    @usableFromInline
    override var isDeferred: Bool { true }
}
