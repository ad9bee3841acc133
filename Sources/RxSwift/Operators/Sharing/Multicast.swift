extension ObservableType {
    /// Shares one subscription to this sequence through `subject`. The subscription begins with `connect()`.
    ///
    ///     source:                      --1--2--3--|
    ///     multicast(PublishSubject()): -----2--3--|   connected after 4 columns
    ///
    /// ![No element before the connection](marble-multicast)
    ///
    ///     let shared = requests.multicast(PublishSubject())
    ///     let connection = shared.connect()
    ///
    /// The thread that calls `connect()` subscribes to the source. The source's events, including an error, go to the
    /// subject on the sending thread. After the connection has been disposed of, observers receive no events until the
    /// next connection.
    ///
    /// [Pausing](doc:BoundedMemory): a pause does not reach the source, as in ``share(replay:scope:)``.
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

    /// Shares one subscription to this sequence through a subject. Each connection has a new subject.
    ///
    ///     source:                  --1-----2--3--|   connected at once
    ///     multicast { subject() }: ---(^1)-2--3--|   a subject that replays one element
    ///
    /// ![The subject replays the first element to a later observer](marble-multicast-made)
    ///
    ///     let shared = requests.multicast { ReplaySubject.create(bufferSize: 2) }
    ///     let connection = shared.connect()
    ///
    /// Threads, errors and pauses are those of ``multicast(_:)``.
    ///
    /// - Parameter makeSubject: called when the first observer or `connect()` needs the subject. Several threads may
    ///   call it at the same time; then only one of the subjects is used.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func multicast<Subject: SubjectType>(
        makeSubject: @escaping @Sendable () -> Subject
    ) -> ConnectableObservable<Subject.Element>
    where Subject.Observer.Element == Element {
        ConnectableObservableAdapter(asObservable(), makeSubject)
    }

    /// For each subscription to the result, shares one subscription to this sequence within `selector`.
    ///
    /// In the diagram, `pairs(of:)` returns `Observable.zip($0, $0.skip(1))`.
    ///
    ///     source:                                            --1--2--3--|
    ///     multicast({ PublishSubject() }) { pairs(of: $0) }: -----12-23-|
    ///
    /// ![The selector uses the source twice, with one subscription](marble-multicast-selector)
    ///
    ///     requests.multicast({ PublishSubject() }) { shared in Observable.zip(shared, shared.skip(1)) }
    ///
    /// Both closures are called on the subscribing thread, which then connects. If either throws, the result fails.
    ///
    /// [Pausing](doc:BoundedMemory): a pause does not reach the source, as in ``share(replay:scope:)``.
    ///
    /// - Parameters:
    ///   - subjectSelector: makes the subject that this sequence feeds.
    ///   - selector: makes the result from the shared sequence.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func multicast<Subject: SubjectType, Result>(
        _ subjectSelector: @escaping @Sendable () throws -> Subject,
        selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) -> Observable<Result> where Subject.Observer.Element == Element {
        let source = asObservable()
        return Observable.createUnchecked { observer in
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
    }
}
