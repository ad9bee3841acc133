extension ObservableType {
    /// A sequence whose events are sent by `subscribe`. Each subscription calls `subscribe`.
    ///
    ///     calls:                --1-----2--|
    ///     create { calls($0) }: --1-----2--|
    ///
    /// ![The result sends each event that the observer receives](marble-create)
    ///
    /// Any thread may use the observer. Events are delivered one at a time, on the calling thread. If another thread is
    /// delivering, that thread also delivers the new event. Events after an error or a completion are dropped.
    ///
    /// The returned `Disposable` is disposed of after the terminal event, or with the subscription. Until then the
    /// subscription stays alive, even if the program retains no copy of the observer. Exception: if `subscribe` returns
    /// `Disposables.create()`, which does nothing, the subscription is freed with the last copy of the observer.
    ///
    ///     Observable<String>.create { observer in
    ///         observer.onNext("hello")
    ///         observer.onCompleted()
    ///         return Disposables.create()
    ///     }
    ///
    /// [Pausing](doc:BoundedMemory): this sequence cannot be paused. Instead, use ``create(flow:)``, or call
    /// ``AnyObserver/send(_:)`` in a task.
    ///
    /// - Parameter subscribe: called on the subscribing thread.
    ///
    /// ## See Also
    ///
    /// - <doc:AsyncAndAwait>
    /// - [create on reactivex.io](https://reactivex.io/documentation/operators/create.html)
    @inlinable
    @preconcurrency
    public static func create(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        CreateProducer(subscribe)
    }

    @inlinable
    package static func createUnchecked(
        _ subscribe: @escaping (AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        CreateProducer(subscribe)
    }
}

@usableFromInline
final class CreateProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let run: (AnyObserver<Element>) -> any Disposable

    @inlinable
    init(_ run: @escaping (AnyObserver<Element>) -> any Disposable) {
        self.run = run
        super.init { base, context in
            context.feed(by: unsafeDowncast(base, to: CreateProducer<Element>.self).run)
            return nil
        }
    }

    /// For a closure that checks whether the observer has room, or sends with ``AnyObserver/send(_:)``.
    init(asking run: @escaping (AnyObserver<Element>) -> any Disposable) {
        self.run = run
        super.init { base, context in
            context.feedAsking(by: unsafeDowncast(base, to: CreateProducer<Element>.self).run)
            return nil
        }
    }
}
