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

    /// Counts an observer in, to the present connection or else to the next one.
    ///
    /// - Returns: what it is to listen to, and the epoch that this belongs to.
    func enter() -> (subject: Observable<Element>, epoch: Int) {
        abstractMethod()
    }

    /// Connects for observers of `epoch`, unless that has been done or the epoch is over.
    func connect(in epoch: Int) {
        abstractMethod()
    }

    /// Counts an observer of `epoch` out; the last one ends the connection.
    func leave(_ epoch: Int) {
        abstractMethod()
    }
}

/// Feeds a subject from a source.
///
/// Guards: `state` is under its lock. A connection is present from `connect` until it is disposed or its source has ended; then the subject goes,
/// too, and the next one is made when it is needed.
///
/// `refCount` counts in the same state, so that an observer is counted to the connection that feeds what it listens to. An epoch is the time
/// of one connection, and of waiting for it: connection, subject and count go at one moment. Who comes before it is told the end by
/// the subject; who comes after it has a subject, and a connection, of its own.
@usableFromInline
final class ConnectableObservableAdapter<Subject: SubjectType>: ConnectableObservable<Subject.Element>, @unchecked Sendable {
    struct State {
        var subject: Subject?
        var connection: Connection<Subject>?
        var epoch = 0
        var count = 0

        /// Begins the next epoch, and hands out what the last one held.
        mutating func end() -> State {
            defer { self = State(epoch: epoch + 1) }
            return self
        }
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

    private var subject: Subject { present(counting: 0).subject }

    /// The subject of the present epoch, with so many observers more.
    private func present(counting: Int) -> (subject: Subject, epoch: Int) {
        var new: Subject?
        while true {
            let present = state.withLock { state -> (Subject, Int)? in
                if state.subject == nil { state.subject = new }
                guard let subject = state.subject else { return nil }
                state.count += counting
                return (subject, state.epoch)
            }
            if let present { return present }
            new = makeSubject()
        }
    }

    @usableFromInline
    override func connect() -> any Disposable {
        while true {
            let (subject, epoch) = present(counting: 0)
            if let connection = connect(subject, epoch) { return connection }
        }
    }

    /// The connection of `epoch`; nil when that is over.
    private func connect(_ subject: Subject, _ epoch: Int) -> Connection<Subject>? {
        let new = Connection(self, subject.asObserver())
        let present = state.withLock { state -> Connection<Subject>? in
            guard state.epoch == epoch else { return nil }
            if let connection = state.connection { return connection }
            state.connection = new
            return new
        }
        if present === new { source.subscribe(last: ConnectionSink(new, push), new.disposer) }
        return present
    }

    override func enter() -> (subject: Observable<Subject.Element>, epoch: Int) {
        let (subject, epoch) = present(counting: 1)
        return (subject.asObservable(), epoch)
    }

    override func connect(in epoch: Int) {
        let subject = state.withLock { $0.epoch == epoch && $0.connection == nil ? $0.subject : nil }
        if let subject { _ = connect(subject, epoch) }
    }

    override func leave(_ epoch: Int) {
        let ended = state.withLock { state -> State? in
            guard state.epoch == epoch else { return nil }
            state.count -= 1
            // Without a connection others may listen already, uncounted, to what the next one will feed.
            return state.count == 0 && state.connection != nil ? state.end() : nil
        }
        ended?.connection?.dispose()
    }

    fileprivate func forget(_ connection: Connection<Subject>) {
        let ended = state.withLock { $0.connection === connection ? $0.end() : nil }
        withExtendedLifetime(ended) {}
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
