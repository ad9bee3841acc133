internal import CRxCore

/// A sequence that shares one subscription to its source, from ``connect()`` on.
public protocol ConnectableObservableType: ObservableType {
    /// Subscribes to the source, unless that has been done.
    ///
    /// - Returns: what ends the subscription to the source.
    func connect() -> any Disposable
}

/// A sequence that shares one subscription to its source, from ``connect()`` on.
///
/// Observers may subscribe before and after. Disposing the connection ends what is upstream of it; observers stay, without events.
// @unchecked Sendable because the one subclass guards its state by a lock.
public class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType, @unchecked Sendable {
    /// Subscribes to the source, unless that has been done.
    ///
    /// - Returns: what ends the subscription to the source.
    public func connect() -> any Disposable {
        abstractMethod()
    }
}

/// Feeds a subject from a source.
///
/// Guards: `state` is under its lock. A connection is present from `connect` until it is disposed or its source has ended; then the subject goes,
/// too, and the next one is made when it is needed.
@usableFromInline
final class ConnectableObservableAdapter<Subject: SubjectType>: ConnectableObservable<Subject.Element>, @unchecked Sendable {
    struct State {
        var subject: Subject?
        var connection: Connection<Subject>?
    }

    @usableFromInline
    let source: Observable<Subject.Observer.Element>
    private let makeSubject: () -> Subject
    /// What the sink of a connection does with an element, made in specialised code.
    private let push: Sink<Subject.Observer.Element>.Push
    private let state = Locked(State())

    @inlinable
    convenience init(_ source: Observable<Subject.Observer.Element>, _ makeSubject: @escaping () -> Subject) {
        self.init(source, makeSubject) { base, element in
            let me = unsafeDowncast(base, to: ConnectionSink<Subject>.self)
            if me.isLive { me.observer.on(.next(element)) }
        }
    }

    @usableFromInline
    init(
        _ source: Observable<Subject.Observer.Element>, _ makeSubject: @escaping () -> Subject,
        push: @escaping Sink<Subject.Observer.Element>.Push
    ) {
        self.source = source
        self.makeSubject = makeSubject
        self.push = push
        super.init { base, _ in
            unsafeDowncast(base, to: ConnectableObservableAdapter<Subject>.self).subject.asObservable()
        }
    }

    @usableFromInline
    override var isTrampolined: Bool { false }

    private var subject: Subject {
        if let subject = state.withLock({ $0.subject }) { return subject }
        let new = makeSubject()
        return state.withLock { state in
            if let subject = state.subject { return subject }
            state.subject = new
            return new
        }
    }

    @usableFromInline
    override func connect() -> any Disposable {
        let new = Connection(self, subject.asObserver())
        let present = state.withLock { state in
            if let connection = state.connection { return connection }
            state.connection = new
            return new
        }
        if present === new { source.subscribe(last: ConnectionSink(new, push), new.disposer) }
        return present
    }

    fileprivate func forget(_ connection: Connection<Subject>) {
        let forgotten = state.withLock { state in
            guard state.connection === connection else { return State() }
            let forgotten = state
            state = State()
            return forgotten
        }
        withExtendedLifetime(forgotten) {}
    }
}

/// What ends the subscription to a connectable's source.
final class Connection<Subject: SubjectType>: Disposable {
    let disposer = SinkDisposer()
    fileprivate let observer: Subject.Observer
    private weak var parent: ConnectableObservableAdapter<Subject>?

    fileprivate init(_ parent: ConnectableObservableAdapter<Subject>, _ observer: Subject.Observer) {
        self.parent = parent
        self.observer = observer
    }

    func dispose() {
        parent?.forget(self)
        disposer.dispose()
    }
}

/// Feeds the subject of a connection, and ends the connection before it tells the subject the end.
@usableFromInline
final class ConnectionSink<Subject: SubjectType>: LastSink<Subject.Observer.Element> {
    private let connection: Connection<Subject>
    @usableFromInline
    let observer: Subject.Observer

    fileprivate init(_ connection: Connection<Subject>, _ push: @escaping Sink<Subject.Observer.Element>.Push) {
        self.connection = connection
        observer = connection.observer
        super.init(connection.disposer, push: push)
    }

    @usableFromInline
    override func finish(_ error: (any Error)?) {
        connection.dispose()
        observer.on(Event(end: error))
    }
}
