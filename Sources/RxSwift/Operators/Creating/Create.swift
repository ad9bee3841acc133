extension ObservableType {
    /// A sequence that `subscribe` feeds, anew for each subscription.
    ///
    /// The observer may be used from any thread. Its events are delivered one at a time: on the caller's thread when no other thread is delivering,
    /// by that other thread otherwise. The returned Disposable is disposed after the terminal event, or with the subscription.
    ///
    ///     Observable<String>.create { observer in
    ///         observer.onNext("hello")
    ///         observer.onCompleted()
    ///         return Disposables.create()
    ///     }
    ///
    /// - Parameter subscribe: called on each subscription, on the subscribing thread.
    @inlinable
    public static func create(_ subscribe: @escaping (AnyObserver<Element>) -> any Disposable) -> Observable<Element> {
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
            let me = unsafeDowncast(base, to: CreateProducer<Element>.self)
            let entry = Entry(assembly.sink(of: Element.self))
            assembly.feed(from: entry)
            assembly.adopt(me.run(AnyObserver(handle: EntryHandle(entry))))
            return nil
        }
    }
}
