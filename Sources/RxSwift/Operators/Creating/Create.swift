extension ObservableType {
    /// A sequence that `subscribe` feeds, anew for each subscription.
    ///
    ///     calls:                --1-----2--|
    ///     create { calls($0) }: --1-----2--|
    ///
    /// ![What the observer is told is what is sent](marble-create)
    ///
    /// The observer may be used from any thread. Its events are delivered one at a time: on the caller's thread when no
    /// other thread is delivering, by that other thread otherwise. The returned Disposable is disposed after the
    /// terminal event, or with the subscription; until then it lives, also where nobody keeps the observer. Where there
    /// is nothing to dispose, the chain is let go with the last copy of the observer.
    ///
    ///     Observable<String>.create { observer in
    ///         observer.onNext("hello")
    ///         observer.onCompleted()
    ///         return Disposables.create()
    ///     }
    ///
    /// An error or completion that the observer is sent ends the sequence; what follows is dropped.
    ///
    /// [Pausing](doc:BoundedMemory): cannot be paused, because it calls its observer whenever it likes. What can is
    /// ``create(flow:)``, and ``AnyObserver/send(_:)`` in a task.
    ///
    /// - Parameter subscribe: called on each subscription, on the subscribing thread.
    ///
    /// ## See Also
    ///
    /// - <doc:AsyncAndAwait>
    /// - [create on reactivex.io](https://reactivex.io/documentation/operators/create.html)
    @inlinable
    @preconcurrency
    public static func create(_ subscribe: @escaping @Sendable (AnyObserver<Element>) -> any Disposable) -> Observable<
        Element
    > {
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
        super.init { base, assembly in
            assembly.feed(by: unsafeDowncast(base, to: CreateProducer<Element>.self).run)
            return nil
        }
    }

    /// - Parameter run: asks its observer whether there is room, or sends with `send`.
    init(asking run: @escaping (AnyObserver<Element>) -> any Disposable) {
        self.run = run
        super.init { base, assembly in
            assembly.feedAsking(by: unsafeDowncast(base, to: CreateProducer<Element>.self).run)
            return nil
        }
    }
}
