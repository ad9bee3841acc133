/// How long a shared sequence keeps the elements that it replays.
public enum SubjectLifetimeScope {
    /// They are kept until the last observer has left or the source has ended. The next observer starts a new
    /// subscription.
    case whileConnected

    /// They are kept forever: an observer that comes after the end receives the buffer and the end.
    case forever
}

extension ObservableType {
    /// Shares one subscription to this sequence: subscribes with the first observer, and disposes with the last.
    ///
    ///     source:                        --1-----2--3--|
    ///     share(), the first observer:   --1-----2--3--|
    ///     share(), a later one:          ---^----2--3--|
    ///     share(replay: 1), a later one: ---(^1)-2--3--|
    ///
    /// ![One subscription for several observers, and what a later one receives](marble-share)
    ///
    /// The source is subscribed to on the thread of the first observer. Its events are delivered on the thread that
    /// sends them, to the observers in the order of their subscription. Replayed elements are delivered on the
    /// subscribing thread. An error or the completion ends all observers. A later observer starts a new subscription,
    /// unless the scope is ``SubjectLifetimeScope/forever``.
    ///
    /// [Pausing](doc:BoundedMemory): a pause does not reach the source, which is shared and never waits for one of its
    /// observers. A boundary downstream that pauses fails with ``FlowError/overflow(boundary:limit:source:)``; use a
    /// policy that drops.
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

/// A sequence that is subscribed to its source as long as it has observers.
///
///     source's cell ──► ShareSink ──► ShareConnection ──► core ──► observers' chains ──►
///     their lifetimes     ──► ShareConnection
///
/// The cycle is broken when an observer is removed, and at the end. If the source is freed without an end, the
/// observers stay counted, and new ones join them, until the last one is disposed of.
///
/// Guards: `slot` and the count of its connection are protected by the slot's lock. The observers and the source retain
/// the connection; the slot does not.
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
        super.init { base, context in
            let me = unsafeDowncast(base, to: Share<Core, Item>.self)
            if let connection = me.slot.joinPresent() {
                connection.core.attach(&context, handle: me, via: connection)
                return nil
            }
            let core = me.makeCore()
            let sink = ShareSink(core, ShareConnection(core, me.slot))
            let connection = me.slot.join(sink.connection)
            connection.core.attach(&context, handle: me, via: connection)
            if connection === sink.connection { me.source.subscribe(last: sink, connection.lifetime) }
            return nil
        }
    }

    @usableFromInline
    override var isTrampolined: Bool { false }
}

/// Holds the current connection of a shared sequence.
@usableFromInline
final class ShareSlot: Sendable {
    private struct State {
        weak var connection: ShareConnection?
        var count = 0
    }

    private let state = Locked(State())

    @usableFromInline
    init() {}

    @usableFromInline
    func joinPresent() -> ShareConnection? {
        state.withLock { state in
            guard let connection = state.connection else { return nil }
            state.count += 1
            return connection
        }
    }

    /// Makes `new` the current connection if there is none.
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

    /// Returns whether `connection` has lost its last observer; then it is no longer current.
    func leave(_ connection: ShareConnection) -> Bool {
        whilePresent(connection) { state in
            state.count -= 1
            if state.count == 0 { state.connection = nil }
            return state.count == 0
        }
    }

    /// Called when the source of `connection` has ended.
    func forget(_ connection: ShareConnection) {
        _ = whilePresent(connection) { state in
            state.connection = nil
            return true
        }
    }

    private func whilePresent(_ connection: ShareConnection, _ body: (inout State) -> Bool) -> Bool {
        // Returned out of the lock, because this may be the last reference.
        let (present, result) = state.withLock { state in
            let present = state.connection
            return (present, present === connection && body(&state))
        }
        return withExtendedLifetime(present) { result }
    }
}

@usableFromInline
class ShareConnection: Upstream {
    @usableFromInline
    final let core: SubjectBase
    @usableFromInline
    final let lifetime = ChainLifetime()
    fileprivate final let slot: ShareSlot

    @usableFromInline
    init(_ core: SubjectBase, _ slot: ShareSlot) {
        self.core = core
        self.slot = slot
    }

    @usableFromInline
    final func dispose(key: UnsafeMutableRawPointer?) {
        core.dispose(key: key)
        if slot.leave(self) { lifetime.dispose() }
    }

    @usableFromInline
    final var sourceName: String { "share" }
}

@usableFromInline
final class ShareSink<Core: SubjectCore<Item> & GateTarget, Item>: TerminalObserver<Item> where Core.Element == Item {
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
        super.init(connection.lifetime, push: push)
    }

    @usableFromInline
    override func deliverEnd(_ error: (any Error)?) {
        connection.slot.forget(connection)
        core.enterEnd(error)
    }
}
