internal import CRxCore

/// A sequence that shares one subscription to its source. The subscription begins with ``connect()``.
public protocol ConnectableObservableType: ObservableType {
    /// Subscribes to the source, unless there is a connection. Disposing of the result ends the subscription.
    func connect() -> any Disposable
}

/// A sequence that shares one subscription to its source.
///
/// When the connection has been disposed of, observers stay subscribed, but receive no further events. With
/// `multicast(_:)`, the next connection feeds the same observers.
// @unchecked Sendable because its only subclass is immutable, and refers to state that has a lock.
public class ConnectableObservable<Element>: Observable<Element>, ConnectableObservableType, @unchecked Sendable {
    public func connect() -> any Disposable {
        abstractMethod()
    }

    /// Counts an observer for the current or next connection. Returns the subject to subscribe to, and its epoch (see
    /// ``Epochs``).
    func enter() -> (subject: ObservableBase, epoch: Int) {
        abstractMethod()
    }

    /// Delivers the pending end of the previous connection, if any. Then connects if `epoch` is current, has no
    /// connection and has at least `minimum` observers. Does not connect if the chain `observer` is no longer live.
    func connect(in epoch: Int, for observer: ChainLifetime, atLeast minimum: Int) {
        abstractMethod()
    }

    var observers: Epochs {
        abstractMethod()
    }
}

/// Feeds a subject from a source.
///
/// Observers of `refCount` may retain the ``Epochs`` after this object has been freed. So `deinit` removes the subject
/// from the epochs. Then observers that subscribed without `refCount` are released, unless a connection retains the
/// subject.
@usableFromInline
// @unchecked Sendable because it is immutable, and its epochs have a lock.
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
                return FedSubject(subject.asObservable(), identity: subject as AnyObject) {
                    ConnectionSink<Subject.Observer>($0, $1, subject.asObserver())
                }
            })
    }

    /// - Parameter makeSubject: a closure from specialised code, so that the sinks of its subjects are specialised.
    @usableFromInline
    init(_ source: Observable<Subject.Observer.Element>, making makeSubject: @escaping () -> FedSubject) {
        self.source = source
        self.makeSubject = makeSubject
        super.init { base, _ in
            unsafeDowncast(base, to: ConnectableObservableAdapter<Subject>.self).present(counting: 0).subject
                .observable
        }
    }

    deinit {
        epochs.forgetSubject()
    }

    @usableFromInline
    override var isTrampolined: Bool { false }

    @usableFromInline
    override func connect() -> any Disposable {
        while true {
            let (subject, epoch) = present(counting: 0)
            // Another thread may still be delivering the end of the previous connection.
            epochs.deliverPendingEnd()
            if let connection = connect(subject, epoch) { return connection }
        }
    }

    override func enter() -> (subject: ObservableBase, epoch: Int) {
        let (subject, epoch) = present(counting: 1)
        return (subject.observable, epoch)
    }

    override func connect(in epoch: Int, for observer: ChainLifetime, atLeast minimum: Int) {
        epochs.deliverPendingEnd()
        guard crx_lifetime_is_live(observer.chain) else { return }
        let isLeft = epochs.leave(epoch) {
            { [self] in
                // If the observer unsubscribes after this check, this thread must end the new connection.
                if crx_lifetime_is_live(observer.chain) && connect(in: epoch, atLeast: minimum) {
                    epochs.endIfUnobserved(epoch)
                }
            }
        }
        if !isLeft && crx_lifetime_is_live(observer.chain) { _ = connect(in: epoch, atLeast: minimum) }
    }

    /// Returns whether `epoch` had no connection and now has one.
    private func connect(in epoch: Int, atLeast minimum: Int) -> Bool {
        epochs.unconnectedSubject(of: epoch, atLeast: minimum).map { connect($0, epoch) != nil } ?? false
    }

    override var observers: Epochs { epochs }

    private func present(counting: Int) -> (subject: FedSubject, epoch: Int) {
        var new: FedSubject?
        while true {
            if let present = epochs.enter(counting: counting, new) { return present }
            new = makeSubject()
        }
    }

    private func connect(_ subject: FedSubject, _ epoch: Int) -> Connection? {
        let new = Connection(epochs)
        let present = epochs.connect(new, in: epoch)
        if present === new { source.subscribe(last: subject.makeSink(new, subject), new.lifetime) }
        return present
    }
}

/// The subject of an epoch, with its element type erased.
@usableFromInline
final class FedSubject {
    let observable: ObservableBase
    /// Identifies the subject, which several epochs may share.
    let identity: AnyObject
    let makeSink: (Connection, FedSubject) -> SinkBase

    @usableFromInline
    init(
        _ observable: ObservableBase, identity: AnyObject, makeSink: @escaping (Connection, FedSubject) -> SinkBase
    ) {
        self.observable = observable
        self.identity = identity
        self.makeSink = makeSink
    }
}

/// The subject of a connectable, the connection that feeds it, and the number of observers.
///
/// Guards: `state` is protected by its lock.
///
/// Each connection belongs to an *epoch*, which begins when the previous epoch ends. When the connection is disposed of
/// or the source ends, one update of `state` ends the epoch. The update resets the connection, the subject and the
/// count. `refCount` counts its observers in the same state, so each observer is counted for the connection that feeds
/// it. An observer that subscribes before the update receives the end of the old connection.
///
/// Epochs may share a subject, as in `multicast(_:)`. A shared subject must not receive elements of two connections. So
/// the update also marks the old connection as disposed.
///
/// The source is torn down before the subject receives the end. In between, a thread may begin a new connection to the
/// same subject. So each thread delivers the old end before it connects. If another thread is already delivering the
/// old end, a `refCount` leaves the call of `connect` to that thread. Until that thread connects, the observer of the
/// `refCount` may receive the old end. If the program itself calls `connect()`, the call does not wait for that thread.
final class Epochs: @unchecked Sendable {  // see the guards above
    private struct State {
        var subject: FedSubject?
        var connection: Connection?
        var epoch = 0
        var count = 0
        /// The timer of the grace period.
        var absence: SingleAssignmentDisposable?
        var ending = Ending()

        mutating func end() -> State {
            defer { self = State(epoch: epoch + 1, ending: ending) }
            return self
        }

        mutating func endDisposing() -> Ended {
            Ended(mark: connection?.lifetime.markDisposed(), state: end())
        }

        struct Ended {
            fileprivate let mark: UInt?
            fileprivate let state: State

            func dispose() {
                state.absence?.dispose()
                if let mark { state.connection?.lifetime.disposed(mark) }
            }
        }
    }

    private struct Ending {
        /// Delivers the end of the previous connection; nil if no end waits for delivery.
        var pending: (() -> Void)?
        var subject: FedSubject?
        /// The delivering thread, and the number of deliveries nested on it.
        var thread: UInt = 0
        var depth = 0
        /// Closures of other threads, which `thread` calls after the delivery.
        var left: [() -> Void] = []
    }

    private let state = Locked(State())

    /// Adds `counting` observers to the current epoch. Returns the epoch and its subject. If the epoch has no subject
    /// yet, `new` becomes its subject. If `new` is nil in that case, adds no observers and returns nil.
    func enter(counting: Int, _ new: FedSubject?) -> (subject: FedSubject, epoch: Int)? {
        var absence: SingleAssignmentDisposable?
        defer { absence?.dispose() }
        return state.withLock { state in
            if state.subject == nil { state.subject = new }
            guard let subject = state.subject else { return nil }
            state.count += counting
            if counting > 0 { absence = state.absence.take() }
            return (subject, state.epoch)
        }
    }

    /// Returns the connection of `epoch`, which is `new` if there was none; nil if the epoch is over.
    func connect(_ new: Connection, in epoch: Int) -> Connection? {
        state.withLock { state in
            guard state.epoch == epoch else { return nil }
            if let connection = state.connection { return connection }
            state.connection = new
            return new
        }
    }

    func unconnectedSubject(of epoch: Int, atLeast minimum: Int) -> FedSubject? {
        state.withLock { $0.epoch == epoch && $0.connection == nil && $0.count >= minimum ? $0.subject : nil }
    }

    func leave(_ epoch: Int) {
        end(epoch, leaving: 1)
    }

    /// Like ``leave(_:)``, but a connection without observers continues for the grace period. The next observer cancels
    /// the timer.
    func leave(_ epoch: Int, _ grace: GracePeriod) {
        let absence = state.withLock { state -> SingleAssignmentDisposable? in
            guard state.epoch == epoch else { return nil }
            state.count -= 1
            guard state.count == 0, state.connection != nil else { return nil }
            let absence = SingleAssignmentDisposable()
            state.absence = absence
            return absence
        }
        guard let absence else { return }
        absence.setDisposable(
            grace.scheduler.scheduleRelative((), dueTime: grace.span) { [self, weak absence] in
                if let absence { end(absence) }
                return Disposables.create()
            })
    }

    /// Ends the epoch if no observer has come since the timer `absence` was set.
    private func end(_ absence: SingleAssignmentDisposable) {
        state.withLock { $0.absence === absence ? $0.endDisposing() : nil }?.dispose()
    }

    private func end(_ epoch: Int, leaving: Int) {
        let ended = state.withLock { state -> State.Ended? in
            guard state.epoch == epoch else { return nil }
            state.count -= leaving
            // Without a connection the epoch continues: observers without `refCount` may have subscribed to its
            // subject.
            return state.count == 0 && state.connection != nil ? state.endDisposing() : nil
        }
        ended?.dispose()
    }

    /// Stores `deliver`, which delivers the end of `connection`. Returns false if `connection` is not current.
    func setPendingEnd(of connection: Connection, _ deliver: @escaping () -> Void) -> Bool {
        let (isCurrent, replaced) = state.withLock { state -> (Bool, FedSubject?) in
            guard state.connection === connection else { return (false, nil) }
            state.ending.pending = deliver
            guard state.ending.depth == 0 else { return (true, nil) }
            return (true, exchange(&state.ending.subject, with: state.subject))
        }
        withExtendedLifetime(replaced) {}
        return isCurrent
    }

    /// Delivers the pending end, unless a thread is delivering or has delivered it.
    func deliverPendingEnd() {
        let me = crx_thread_self()
        let (deliver, isCounted) = state.withLock { state -> ((() -> Void)?, Bool) in
            let deliver = state.ending.pending.take()
            guard deliver != nil, state.ending.depth == 0 || state.ending.thread == me else { return (deliver, false) }
            state.ending.thread = me
            state.ending.depth += 1
            return (deliver, true)
        }
        deliver?()
        guard isCounted else { return }
        let (left, subject) = state.withLock { state -> ([() -> Void], FedSubject?) in
            state.ending.depth -= 1
            guard state.ending.depth == 0 else { return ([], nil) }
            return (exchange(&state.ending.left, with: []), state.ending.subject.take())
        }
        withExtendedLifetime(subject) {}
        for body in left { body() }
    }

    /// Returns whether another thread is delivering the previous end to the subject of `epoch`. If so, that thread will
    /// call the closure that `makeBody` returns.
    func leave(_ epoch: Int, to makeBody: () -> () -> Void) -> Bool {
        let me = crx_thread_self()
        return state.withLock { state in
            guard state.ending.depth > 0, state.ending.thread != me, state.epoch == epoch,
                let subject = state.subject, subject.identity === state.ending.subject?.identity
            else { return false }
            state.ending.left.append(makeBody())
            return true
        }
    }

    func endIfUnobserved(_ epoch: Int) {
        end(epoch, leaving: 0)
    }

    /// Returns false if `connection` is not current. The caller must then dispose of `connection.lifetime`.
    func dispose(_ connection: Connection) -> Bool {
        let ended = state.withLock { $0.connection === connection ? $0.endDisposing() : nil }
        ended?.dispose()
        return ended != nil
    }

    /// Called when the connectable is freed: no observer can subscribe any more.
    func forgetSubject() {
        let forgotten = state.withLock { $0.subject.take() }
        withExtendedLifetime(forgotten) {}
    }
}

@usableFromInline
final class Connection: Disposable {
    @usableFromInline
    let lifetime = ChainLifetime()
    private weak var epochs: Epochs?

    init(_ epochs: Epochs) {
        self.epochs = epochs
    }

    @usableFromInline
    func dispose() {
        if epochs?.dispose(self) != true { lifetime.dispose() }
    }

    /// Tears down the connection, then delivers its end unless another thread does.
    @usableFromInline
    func end(_ deliver: @escaping () -> Void) {
        let epochs = epochs
        // `setPendingEnd` would replace the pending end of an earlier connection.
        epochs?.deliverPendingEnd()
        let isPending = epochs?.setPendingEnd(of: self, deliver) ?? false
        dispose()
        if isPending { epochs?.deliverPendingEnd() } else { deliver() }
    }
}

@usableFromInline
final class ConnectionSink<Observer: ObserverType>: TerminalObserver<Observer.Element> {
    @usableFromInline
    let connection: Connection
    /// The subject that the sink feeds; never read, only retained.
    @usableFromInline
    let subject: FedSubject
    @usableFromInline
    let observer: Observer

    @inlinable
    init(_ connection: Connection, _ subject: FedSubject, _ observer: Observer) {
        self.connection = connection
        self.subject = subject
        self.observer = observer
        super.init(connection.lifetime) { base, element in
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
