extension ObservableType {
    /// Shares one subscription to this sequence through `subject`, from `connect()` on.
    ///
    /// - Parameter subject: fed by this sequence; observers of the result are observers of it.
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
    /// - Parameter makeSubject: called when the first observer or the connection needs the subject.
    @inlinable
    @inline(never)
    public __consuming func multicast<Subject: SubjectType>(
        makeSubject: @escaping () -> Subject
    ) -> ConnectableObservable<Subject.Element>
    where Subject.Observer.Element == Element {
        ConnectableObservableAdapter(asObservable(), makeSubject)
    }

    /// Shares one subscription to this sequence within `selector`'s result, for each subscription to that.
    ///
    /// - Parameters:
    ///   - subjectSelector: makes the subject that this sequence feeds.
    ///   - selector: makes the result of the shared sequence.
    @inlinable
    @inline(never)
    public __consuming func multicast<Subject: SubjectType, Result>(
        _ subjectSelector: @escaping () throws -> Subject,
        selector: @escaping (Observable<Subject.Element>) throws -> Observable<Result>
    ) -> Observable<Result> where Subject.Observer.Element == Element {
        let source = asObservable()
        return Observable.create { observer in
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
