extension ObservableType {
    package __consuming func sharePaced() -> Observable<Element> {
        PacedShare(asObservable())
    }
}

/// Shares its source like ``Share``, and pauses it while any observer is paused.
///
/// Guards: the lock of `slot` protects the slot and the observer count of its connection.
private final class PacedShare<Item>: Observable<Item>, @unchecked Sendable {
    private let source: Observable<Item>
    private let slot = ShareSlot()

    init(_ source: Observable<Item>) {
        self.source = source
        super.init { base, context in
            let me = unsafeDowncast(base, to: PacedShare<Item>.self)
            if let connection = me.slot.joinPresent() {
                me.attach(&context, to: connection)
                return nil
            }
            let core = PublishCore<Item>()
            let sink = ShareSink(core, PacedConnection(core, me.slot))
            let connection = me.slot.join(sink.connection)
            let scope = FlowScope(nil, resumeScheduler: context.resumeScheduler)
            me.attach(&context, to: connection)
            if connection === sink.connection { me.source.subscribe(last: sink, connection.lifetime, scope: scope) }
            return nil
        }
    }

    private func attach(_ context: inout SubscribeContext, to connection: ShareConnection) {
        guard context.isInScope else { return connection.core.attach(&context, handle: self, via: connection) }
        context.listen()
        // The downcast is valid, because this sequence puts only `PacedConnection`s into its slot.
        let observer = PacedObserver(unsafeDowncast(connection, to: PacedConnection.self))
        connection.core.attach(&context, handle: self, via: observer)
    }

    override var isTrampolined: Bool { false }
}

private final class PacedConnection: ShareConnection {
    private(set) lazy var votes = PauseVotes(pausing: lifetime, threshold: 1)

    override init(_ core: SubjectBase, _ slot: ShareSlot) {
        super.init(core, slot)
        _ = votes
    }
}

private final class PacedObserver: PauseVote, @unchecked Sendable {  // like its superclass; its property is immutable
    private let connection: PacedConnection

    init(_ connection: PacedConnection) {
        self.connection = connection
        super.init(connection.votes)
    }

    override func dispose(key: UnsafeMutableRawPointer?) {
        connection.dispose(key: key)
        super.dispose(key: key)
    }

    override var sourceName: String { "share" }
}
