extension ObservableType {
    /// Shares one subscription to this sequence through `subject`, from `connect()` on.
    ///
    ///     source:                      --1--2--3--|
    ///     multicast(PublishSubject()): -----2--3--|   connected after 4 columns
    ///
    /// ![Nothing comes before it is connected](marble-multicast)
    ///
    ///     let shared = requests.multicast(PublishSubject())
    ///     let connection = shared.connect()
    ///
    /// The source is subscribed on the thread that calls `connect()`; its events, the error or the completion among
    /// them, go to the subject on the thread on which they come. Disposing of the connection ends nothing for the
    /// observers, who hear no more.
    ///
    /// [Pausing](doc:BoundedMemory): a pause below is not passed on: the source is shared, and never waits for one of
    /// its observers. Bound what is below by a boundary that drops, or it ends in
    /// ``FlowError/overflow(boundary:limit:source:)``.
    ///
    /// - Parameter subject: fed by this sequence; observers of the result are observers of it.
    ///
    /// ## See Also
    ///
    /// - [publish on reactivex.io](https://reactivex.io/documentation/operators/publish.html)
    @inlinable
    @inline(never)
    public __consuming func multicast<Subject: SubjectType>(
        _ subject: Subject
    ) -> ConnectableObservable<Subject.Element>
    where Subject.Observer.Element == Element {
        ConnectableObservableAdapter(asObservable()) { subject }
    }

    /// Shares one subscription to this sequence through a subject, which is made anew for each connection.
    ///
    ///     source:                  --1-----2--3--|   connected at once
    ///     multicast { subject() }: ---(^1)-2--3--|   a subject that replays one element
    ///
    /// ![What has come before is the subject's to send](marble-multicast-made)
    ///
    ///     let shared = requests.multicast { ReplaySubject.create(bufferSize: 2) }
    ///     let connection = shared.connect()
    ///
    /// The source is subscribed on the thread that calls `connect()`; its events, the error or the completion among
    /// them, go to the subject on the thread on which they come. After that the next connection has a subject of its
    /// own.
    ///
    /// [Pausing](doc:BoundedMemory): a pause below is not passed on: the source is shared, and never waits for one of
    /// its observers. Bound what is below by a boundary that drops, or it ends in
    /// ``FlowError/overflow(boundary:limit:source:)``.
    ///
    /// - Parameter makeSubject: called when the first observer or the connection needs the subject. No lock is held
    ///   meanwhile: threads that come first at the same time may each have a subject made, of which all of them use one
    ///   and nobody the others.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func multicast<Subject: SubjectType>(
        makeSubject: @escaping @Sendable () -> Subject
    ) -> ConnectableObservable<Subject.Element>
    where Subject.Observer.Element == Element {
        ConnectableObservableAdapter(asObservable(), makeSubject)
    }

    /// Shares one subscription to this sequence within `selector`'s result, for each subscription to that.
    ///
    ///     source:                                            --1--2--3--|
    ///     multicast({ PublishSubject() }) { pairs(of: $0) }: -----12-23-|
    ///
    /// ![One subscription to the source, whatever is made of it](marble-multicast-selector)
    ///
    ///     requests.multicast({ PublishSubject() }) { shared in Observable.zip(shared, shared.skip(1)) }
    ///
    /// Both closures are called on the subscribing thread, which then connects; an error that one of them throws ends
    /// the result. Events stay on the threads on which they come.
    ///
    /// [Pausing](doc:BoundedMemory): a pause below is not passed on: the source is shared, and never waits for one of
    /// its observers. Bound what is below by a boundary that drops, or it ends in
    /// ``FlowError/overflow(boundary:limit:source:)``.
    ///
    /// - Parameters:
    ///   - subjectSelector: makes the subject that this sequence feeds.
    ///   - selector: makes the result of the shared sequence.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func multicast<Subject: SubjectType, Result>(
        _ subjectSelector: @escaping @Sendable () throws -> Subject,
        selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) -> Observable<Result> where Subject.Observer.Element == Element {
        let source = asObservable()
        let subscribe = { (observer: AnyObserver<Result>) -> any Disposable in
            do {
                let connectable = source.multicast(try subjectSelector())
                let result = try selector(connectable)
                let subscription = result.subscribe(observer)
                return Disposables.create(subscription, connectable.connect())
            } catch {
                observer.onError(error)
                return Disposables.create()
            }
        }
        return Observable.create(unchecked(subscribe))
    }
}
