/// How long a shared sequence keeps what it replays.
public enum SubjectLifetimeScope {
    /// Until the last observer has gone or the source has ended: the next observer starts anew.
    case whileConnected

    /// For good: an observer that comes after the end receives the buffer and the end.
    case forever
}

extension ObservableType {
    /// Shares one subscription to this sequence among all observers: subscribes with the first, and disposes with the
    /// last.
    ///
    ///     source:                        --1-----2--3--|
    ///     share(), the first observer:   --1-----2--3--|
    ///     share(), a later one:          ---^----2--3--|
    ///     share(replay: 1), a later one: ---(^1)-2--3--|
    ///
    /// ![One subscription for several observers, and what a later one receives](marble-share)
    ///
    /// Observers receive in order of subscription. What is replayed is allocated as it comes.
    ///
    /// The source is subscribed on the thread of the first observer; its events stay on the thread on which they come,
    /// and what is replayed comes on the subscribing one. An error or the completion ends all observers. Who comes
    /// after that begins anew, unless the scope is ``SubjectLifetimeScope/forever``.
    ///
    /// [Pausing](doc:BoundedMemory): a pause below is not passed on: the source is shared, and never waits for one of
    /// its observers. Bound what is below by a boundary that drops, or it ends in
    /// ``FlowError/overflow(boundary:limit:source:)``.
    ///
    /// - Parameters:
    ///   - replay: how many of the last elements a new observer receives first.
    ///   - scope: how long they are kept.
    ///
    /// ## See Also
    ///
    /// - <doc:SharingASequence>
    /// - [refcount on reactivex.io](https://reactivex.io/documentation/operators/refcount.html)
    @inlinable
    @inline(never)
    public __consuming func share(
        replay: Int = 0, scope: SubjectLifetimeScope = .whileConnected
    ) -> Observable<Element> {
        switch (scope, replay) {
        case (.whileConnected, 0): Share(asObservable()) { PublishCore() }
        case (.whileConnected, 1): Share(asObservable()) { ReplayCore(limit: 1) }
        case (.whileConnected, _): multicast { ReplaySubject.create(bufferSize: replay) }.refCount()
        case (.forever, 0): multicast(PublishSubject()).refCount()
        case (.forever, _): multicast(ReplaySubject.create(bufferSize: replay)).refCount()
        }
    }
}

/// A sequence whose source is subscribed while anybody observes it.
///
///     source's cell ──► ShareSink ──► ShareConnection ──► core ──► observers' chains ──►
///     their SinkDisposers ──► ShareConnection
///
/// The cycle is cut by removal and by the end. A source that goes silently frees the sink, and nobody notices: who
/// observes stays counted, and is joined by who comes, until the last of them is disposed of.
///
/// Guards: `slot` is under its lock, and so is the count of the connection in it. The slot does not own the connection:
/// its observers and its source do.
@usableFromInline
final class Share<Core: SubjectCore<Item> & GateTarget, Item>: Observable<Item>, @unchecked Sendable
where Core.Element == Item {
    @usableFromInline
    let source: Observable<Item>
    @usableFromInline
    let makeCore: () -> Core
    @usableFromInline
    let slot = ShareSlot()

    @inlinable
    init(_ source: Observable<Item>, _ makeCore: @escaping () -> Core) {
        self.source = source
        self.makeCore = makeCore
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: Share<Core, Item>.self)
            if let connection = me.slot.joinPresent() {
                connection.core.attach(&assembly, handle: me, via: connection)
                return nil
            }
            let core = me.makeCore()
            let sink = ShareSink(core, ShareConnection(core, me.slot))
            let connection = me.slot.join(sink.connection)
            connection.core.attach(&assembly, handle: me, via: connection)
            if connection === sink.connection { me.source.subscribe(last: sink, connection.disposer) }
            return nil
        }
    }

    @usableFromInline
    override var isTrampolined: Bool { false }
}

/// Where a shared sequence keeps its present connection.
@usableFromInline
final class ShareSlot: Sendable {
    private struct State {
        weak var connection: ShareConnection?
        var count = 0
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    /// Counts an observer in to the present connection, if there is one.
    @usableFromInline
    func joinPresent() -> ShareConnection? {
        state.withLock { state in
            guard let connection = state.connection else { return nil }
            state.count += 1
            return connection
        }
    }

    /// Counts an observer in, to `new` unless there is a connection by now.
    @usableFromInline
    func join(_ new: ShareConnection) -> ShareConnection {
        state.withLock { state in
            if let connection = state.connection {
                state.count += 1
                return connection
            }
            state = State(connection: new, count: 1)
            return new
        }
    }

    /// Counts an observer out; true when `connection` has none left, and is not present any more.
    func leave(_ connection: ShareConnection) -> Bool {
        whilePresent(connection) { state in
            state.count -= 1
            if state.count == 0 { state.connection = nil }
            return state.count == 0
        }
    }

    /// The source of `connection` has ended: the next observer starts anew.
    func forget(_ connection: ShareConnection) {
        _ = whilePresent(connection) { state in
            state.connection = nil
            return true
        }
    }

    /// What `body` returns, if `connection` is present; false otherwise.
    private func whilePresent(_ connection: ShareConnection, _ body: (inout State) -> Bool) -> Bool {
        // The present one is handed out, because the look at it may be the last reference to another one than
        // `connection`.
        let (present, result) = state.withLock { state in
            let present = state.connection
            return (present, present === connection && body(&state))
        }
        return withExtendedLifetime(present) { result }
    }
}

/// One subscription to a shared source, and those who observe it.
@usableFromInline
final class ShareConnection: Upstream {
    @usableFromInline
    let core: SubjectBase
    @usableFromInline
    let disposer = SinkDisposer()
    fileprivate let slot: ShareSlot

    @usableFromInline
    init(_ core: SubjectBase, _ slot: ShareSlot) {
        self.core = core
        self.slot = slot
    }

    @usableFromInline
    func dispose(key: UnsafeMutableRawPointer?) {
        core.dispose(key: key)
        if slot.leave(self) { disposer.dispose() }
    }

    @usableFromInline
    var sourceName: String { "share" }
}

/// Feeds the observers of a shared source.
@usableFromInline
final class ShareSink<Core: SubjectCore<Item> & GateTarget, Item>: LastSink<Item> where Core.Element == Item {
    @usableFromInline
    let core: Core
    @usableFromInline
    let connection: ShareConnection

    @inlinable
    convenience init(_ core: Core, _ connection: ShareConnection) {
        self.init(core, connection) { base, element in
            unsafeDowncast(base, to: ShareSink<Core, Item>.self).core.enter(element)
        }
    }

    @usableFromInline
    init(_ core: Core, _ connection: ShareConnection, push: @escaping Push) {
        self.core = core
        self.connection = connection
        super.init(connection.disposer, push: push)
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        connection.slot.forget(connection)
        core.enterEnd(error)
    }
}
