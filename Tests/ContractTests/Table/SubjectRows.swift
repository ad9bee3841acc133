import RxSwift

extension Table {
    /// Subjects, fed by a source: what is pushed into them comes from there.
    static let subjectRows: [Row] = [
        Row("PublishSubject", "", [.shared], form: { Row.Form(feeding: PublishSubject(), from: $0.a) }),
        Row("BehaviorSubject", "", [.shared, .retains], form: { Row.Form(feeding: BehaviorSubject(value: $0.make()), from: $0.a) }),
        Row("ReplaySubject", "bounded", [.shared, .retains], form: { Row.Form(feeding: ReplaySubject.create(bufferSize: 2), from: $0.a) }),
        Row("ReplaySubject", "unbounded", [.shared, .retains], form: { Row.Form(feeding: ReplaySubject.createUnbounded(), from: $0.a) }),
        Row("AsyncSubject", "", [.shared, .retains], form: { Row.Form(feeding: AsyncSubject(), from: $0.a) }),
    ]
}

extension Row.Form {
    /// A subject that subscribes to a source once it has its first observer.
    init<Subject: SubjectType & ObserverType>(feeding subject: Subject, from source: Observable<Subject.Element>)
    where Subject.Observer.Element == Subject.Element {
        let observable = subject.asObservable()
        subscribe = { probe in
            let subscription = observable.subscribe { probe.on($0) }
            return Disposables.create(subscription, source.subscribe(subject.asObserver()))
        }
    }
}
