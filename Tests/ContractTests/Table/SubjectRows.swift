import RxRelay
import RxSwift

extension Table {
    static let subjectRows: [Row] = [
        Row("PublishSubject", "", [.shared], form: { Row.Form(feeding: PublishSubject(), from: $0.a) }),
        Row(
            "BehaviorSubject", "", [.shared, .retains],
            form: { Row.Form(feeding: BehaviorSubject(value: $0.make()), from: $0.a) }),
        Row(
            "ReplaySubject", "bounded", [.shared, .retains],
            form: { Row.Form(feeding: ReplaySubject.create(bufferSize: 2), from: $0.a) }),
        Row(
            "ReplaySubject", "unbounded", [.shared, .retains],
            form: { Row.Form(feeding: ReplaySubject.createUnbounded(), from: $0.a) }),
        Row("AsyncSubject", "", [.shared, .retains], form: { Row.Form(feeding: AsyncSubject(), from: $0.a) }),
        Row(
            "PublishRelay", "", [.shared, .endless, .survives],
            form: { rig in
                let relay = PublishRelay<Tracked>()
                return Row.Form(relay, from: rig.a) { relay.accept($0) }
            }),
        Row(
            "BehaviorRelay", "", [.shared, .retains, .endless, .survives],
            form: { rig in
                let relay = BehaviorRelay(value: rig.make())
                return Row.Form(relay, from: rig.a) { relay.accept($0) }
            }),
        Row(
            "ReplayRelay", "bounded", [.shared, .retains, .endless, .survives],
            form: { rig in
                let relay = ReplayRelay<Tracked>.create(bufferSize: 2)
                return Row.Form(relay, from: rig.a) { relay.accept($0) }
            }),
        Row(
            "ReplayRelay", "unbounded", [.shared, .retains, .endless, .survives],
            form: { rig in
                let relay = ReplayRelay<Tracked>.createUnbound()
                return Row.Form(relay, from: rig.a) { relay.accept($0) }
            }),
    ]
}

extension Row.Form {
    init<Subject: SubjectType & ObserverType>(feeding subject: Subject, from source: Observable<Subject.Element>)
    where Subject.Observer.Element == Subject.Element {
        let observable = subject.asObservable()
        subscribe = { probe in
            let subscription = observable.subscribe { probe.on($0) }
            return Disposables.create(subscription, source.subscribe(subject.asObserver()))
        }
    }

    init(
        _ relay: some ObservableType, from source: Observable<Tracked>, _ accept: @escaping @Sendable (Tracked) -> Void
    ) {
        self.init(relay) { source.subscribe(onNext: accept, onError: { _ in }) }
    }

    init(_ relay: some ObservableType, _ feed: @escaping () -> any Disposable) {
        subscribe = { probe in
            let subscription = relay.subscribe { probe.on($0) }
            return Disposables.create(subscription, feed())
        }
    }
}
