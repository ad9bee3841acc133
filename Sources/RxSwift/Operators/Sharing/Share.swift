/// The time for which a shared sequence stores the elements that it replays.
public enum SubjectLifetimeScope {
    /// Until the last observer unsubscribes or the source ends. The next observer starts a new subscription to the
    /// source.
    case whileConnected

    /// As long as the sequence exists. An observer that comes after the end receives the stored elements and the end.
    case forever
}

extension ObservableType {
    /// Shares one subscription to this sequence, from the first observer's subscription to the last observer's
    /// disposal.
    ///
    ///     source:                        --1-----2--3--|
    ///     share(), the first observer:   --1-----2--3--|
    ///     share(), a later one:          ---^----2--3--|
    ///     share(replay: 1), a later one: ---(^1)-2--3--|
    ///
    /// ![One subscription for several observers, and what a later one receives](marble-share)
    ///
    /// The thread of the first observer subscribes to the source. Events are delivered on the sending thread, in the
    /// order of the observers' subscriptions. Replayed elements are delivered on the subscribing thread. An observer
    /// that comes after a terminal event starts a new subscription to the source, unless the scope is
    /// ``SubjectLifetimeScope/forever``.
    ///
    /// [Pausing](doc:BoundedMemory): the source is not paused, because other observers may be ready. A boundary
    /// downstream with the policy `.pausing` fails at its bound with ``FlowError/overflow(boundary:limit:source:)``.
    /// Use a policy that drops elements.
    ///
    /// - Parameters:
    ///   - replay: the maximum number of replayed elements.
    ///   - scope: the time for which these elements are stored.
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

/// A shared sequence with the scope `whileConnected` and at most one replayed element.
///
///     source ──► ShareSink ──► ShareConnection ──► core ──► chains of the observers ──► ShareConnection
///
/// The arrows are strong references. The cycle is broken when the source ends, or when the last observer unsubscribes.
///
/// Guards: the lock of `slot` protects the slot and its observer count. The observers and the source retain the
/// connection; the slot does not.
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

    /// Returns whether `connection` has no observer left.
    func leave(_ connection: ShareConnection) -> Bool {
        whilePresent(connection) { state in
            state.count -= 1
            if state.count == 0 { state.connection = nil }
            return state.count == 0
        }
    }

    func forget(_ connection: ShareConnection) {
        _ = whilePresent(connection) { state in
            state.connection = nil
            return true
        }
    }

    private func whilePresent(_ connection: ShareConnection, _ body: (inout State) -> Bool) -> Bool {
        // `present` may be the last reference to the connection, so it is released after unlocking.
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
