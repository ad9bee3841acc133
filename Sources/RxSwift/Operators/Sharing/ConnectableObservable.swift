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
/// Observers may subscribe before and after. Disposing the connection ends what is upstream of it; observers stay,
/// without events.
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
    func enter() -> (subject: ObservableBase, epoch: Int) {
        abstractMethod()
    }

    /// Connects for observers of `epoch`, unless that has been done or the epoch is over.
    ///
    /// - Parameter isWanted: asked once the connection before it has ended for its observers.
    func connect(in epoch: Int, if isWanted: () -> Bool) {
        abstractMethod()
    }

    /// What observers are counted out of. They keep it, and it does not keep what they listen to.
    var observers: Epochs {
        abstractMethod()
    }
}

/// Feeds a subject from a source.
///
/// It is the handle over its ``Epochs``: who observes, and what feeds them, keep those, and the connectable alone keeps
/// a subject that nobody feeds. So a source that has gone silently lets observers go that nobody counts, once the
/// connectable has gone, too.
@usableFromInline
// @unchecked Sendable because it never changes, and its epochs guard themselves.
final class ConnectableObservableAdapter<Subject: SubjectType>: ConnectableObservable<Subject.Element>,
    @unchecked Sendable
{
    @usableFromInline
    let source: Observable<Subject.Observer.Element>
    private let makeSubject: () -> FedSubject
    private let epochs = Epochs()

    @inlinable
    convenience init(_ source: Observable<Subject.Observer.Element>, _ makeSubject: @escaping () -> Subject) {
        self.init(
            source,
            making: {
                let subject = makeSubject()
                return FedSubject(subject.asObservable()) {
                    ConnectionSink<Subject.Observer>($0, $1, subject.asObserver())
                }
            })
    }

    /// - Parameter makeSubject: made in specialised code, and so are the sinks that it makes.
    @usableFromInline
    init(_ source: Observable<Subject.Observer.Element>, making makeSubject: @escaping () -> FedSubject) {
        self.source = source
        self.makeSubject = makeSubject
        super.init { base, assembly in
            assembly.keep(
                unsafeDowncast(base, to: ConnectableObservableAdapter<Subject>.self).present(counting: 0).subject
                    .observable)
        }
    }

    deinit {
        epochs.forgetSubject()
    }

    @usableFromInline
    override var isTrampolined: Bool { false }

    @usableFromInline
    override func connect() -> any Disposable {
        epochs.deliverPendingEnd()
        while true {
            let (subject, epoch) = present(counting: 0)
            if let connection = connect(subject, epoch) { return connection }
        }
    }

    override func enter() -> (subject: ObservableBase, epoch: Int) {
        let (subject, epoch) = present(counting: 1)
        return (subject.observable, epoch)
    }

    override func connect(in epoch: Int, if isWanted: () -> Bool) {
        epochs.deliverPendingEnd()
        guard isWanted() else { return }
        if let subject = epochs.unconnectedSubject(of: epoch) { _ = connect(subject, epoch) }
    }

    override var observers: Epochs { epochs }

    /// The subject of the present epoch, with so many observers more.
    private func present(counting: Int) -> (subject: FedSubject, epoch: Int) {
        var new: FedSubject?
        while true {
            if let present = epochs.enter(counting: counting, new) { return present }
            new = makeSubject()
        }
    }

    /// The connection of `epoch`; nil when that is over.
    private func connect(_ subject: FedSubject, _ epoch: Int) -> Connection? {
        let new = Connection(epochs)
        let present = epochs.connect(new, in: epoch)
        if present === new { source.subscribe(last: subject.makeSink(new, subject), new.disposer) }
        return present
    }
}

/// The subject of an epoch, in code that knows no element: what is listened to, and how it is fed.
@usableFromInline
final class FedSubject {
    let observable: ObservableBase
    let makeSink: (Connection, FedSubject) -> SinkBase

    @usableFromInline
    init(_ observable: ObservableBase, makeSink: @escaping (Connection, FedSubject) -> SinkBase) {
        self.observable = observable
        self.makeSink = makeSink
    }
}

/// What a connectable's observers listen to, what feeds that, and how many they are.
///
/// Guards: `state` is under its lock. A connection is present from `connect` until it is disposed or its source has
/// ended; then the subject goes, too, and the next one is made when it is needed.
///
/// `refCount` counts in the same state, so that an observer is counted to the connection that feeds what it listens to.
/// An epoch is the time of one connection, and of waiting for it: connection, subject and count go at one moment. Who
/// comes before it is told the end by the subject; who comes after it has a subject, and a connection, of its own.
///
/// The source is torn down before the subject receives the end. A connection that begins in between delivers that end
/// first, because its subject may be the same one.
final class Epochs: @unchecked Sendable {  // because of the guard above
    private struct State {
        var subject: FedSubject?
        var connection: Connection?
        var epoch = 0
        var count = 0
        /// Delivers the end of the last connection to its subject, while that connection is torn down.
        var pendingEnd: (() -> Void)?

        /// Begins the next epoch, and hands out what the last one held.
        mutating func end() -> State {
            defer { self = State(epoch: epoch + 1, pendingEnd: pendingEnd) }
            return self
        }
    }

    private let state = Locked(State())

    /// The present epoch, with so many observers more; nil when it has no subject yet, and `new` is none.
    func enter(counting: Int, _ new: FedSubject?) -> (subject: FedSubject, epoch: Int)? {
        state.withLock { state in
            if state.subject == nil { state.subject = new }
            guard let subject = state.subject else { return nil }
            state.count += counting
            return (subject, state.epoch)
        }
    }

    /// The connection of `epoch`, which is `new` unless there was one; nil when the epoch is over.
    func connect(_ new: Connection, in epoch: Int) -> Connection? {
        state.withLock { state in
            guard state.epoch == epoch else { return nil }
            if let connection = state.connection { return connection }
            state.connection = new
            return new
        }
    }

    func unconnectedSubject(of epoch: Int) -> FedSubject? {
        state.withLock { $0.epoch == epoch && $0.connection == nil ? $0.subject : nil }
    }

    /// Counts an observer of `epoch` out; the last one ends the connection.
    func leave(_ epoch: Int) {
        let ended = state.withLock { state -> State? in
            guard state.epoch == epoch else { return nil }
            state.count -= 1
            // Without a connection others may listen already, uncounted, to what the next one will feed.
            return state.count == 0 && state.connection != nil ? state.end() : nil
        }
        ended?.connection?.dispose()
    }

    /// Sets what delivers the end of `connection` to its subject; false if it is not the present one.
    func setPendingEnd(of connection: Connection, _ deliver: @escaping () -> Void) -> Bool {
        state.withLock { state in
            guard state.connection === connection else { return false }
            state.pendingEnd = deliver
            return true
        }
    }

    /// Delivers the end of the last connection, unless that has been done.
    func deliverPendingEnd() {
        state.withLock { $0.pendingEnd.take() }?()
    }

    func forget(_ connection: Connection) {
        let ended = state.withLock { $0.connection === connection ? $0.end() : nil }
        withExtendedLifetime(ended) {}
    }

    /// Nobody can ask for the subject any more; what feeds it keeps it.
    func forgetSubject() {
        let forgotten = state.withLock { $0.subject.take() }
        withExtendedLifetime(forgotten) {}
    }
}

/// What ends the subscription to a connectable's source.
@usableFromInline
final class Connection: Disposable {
    @usableFromInline
    let disposer = SinkDisposer()
    private weak var epochs: Epochs?

    init(_ epochs: Epochs) {
        self.epochs = epochs
    }

    @usableFromInline
    func dispose() {
        epochs?.forget(self)
        disposer.dispose()
    }

    /// Tears the connection down, and then delivers the end, unless a connection that begins meanwhile has done so.
    @usableFromInline
    func end(_ deliver: @escaping () -> Void) {
        let epochs = epochs
        let isPending = epochs?.setPendingEnd(of: self, deliver) ?? false
        dispose()
        if isPending { epochs?.deliverPendingEnd() } else { deliver() }
    }
}

/// Feeds the subject of a connection, and ends the connection before the subject receives the end.
@usableFromInline
final class ConnectionSink<Observer: ObserverType>: LastSink<Observer.Element> {
    @usableFromInline
    let connection: Connection
    /// Kept while it is fed.
    @usableFromInline
    let subject: FedSubject
    @usableFromInline
    let observer: Observer

    @inlinable
    init(_ connection: Connection, _ subject: FedSubject, _ observer: Observer) {
        self.connection = connection
        self.subject = subject
        self.observer = observer
        super.init(connection.disposer) { base, element in
            let me = unsafeDowncast(base, to: ConnectionSink<Observer>.self)
            if me.isLive { me.observer.on(.next(element)) }
        }
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        let observer = observer
        connection.end { observer.on(Event(end: error)) }
    }
}
