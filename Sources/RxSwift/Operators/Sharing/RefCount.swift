internal import CRxCore

extension ConnectableObservableType {
    /// Connects with the first observer, and disposes the connection when the last one has gone.
    public func refCount() -> Observable<Element> {
        RefCount(self)
    }
}

/// Guards: `state` is under its lock. `epoch` tells an observer whether the connection is still the one that it was counted for.
private final class RefCount<Source: ConnectableObservableType>: Observable<Source.Element>, @unchecked Sendable {
    struct State {
        var count = 0
        var epoch = 0
        var connection: (any Disposable)?

        /// Counts a new epoch and hands the connection out.
        mutating func end() -> (any Disposable)? {
            count = 0
            epoch += 1
            return connection.take()
        }
    }

    let source: Source
    let state = Locked(State())

    init(_ source: Source) {
        self.source = source
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: RefCount<Source>.self)
            let epoch = me.state.withLock { $0.epoch }
            assembly.sink = RefCountSink(assembly.sink(of: Source.Element.self), me, epoch)
            let disposer = assembly.disposer
            assembly.afterwards.append { me.count(epoch, disposer) }
            return me.source.asObservable()
        }
    }

    /// Counts an observer that has been subscribed, and connects for the first.
    private func count(_ epoch: Int, _ disposer: SinkDisposer) {
        if crx_state_load_acquire(disposer.chain) & UInt(CRX_CHAIN_DISPOSED | CRX_CHAIN_STOPPED) != 0 { return }
        let isFirst = state.withLock { state in
            state.count += 1
            return state.count == 1
        }
        if isFirst {
            let connection = source.connect()
            let isStale = state.withLock { state in
                guard state.epoch == epoch else { return true }
                state.connection = connection
                return false
            }
            if isStale { connection.dispose() }
        }
        disposer.adopt(Disposables.create { self.discount(epoch) })
    }

    private func discount(_ epoch: Int) {
        let connection = state.withLock { state -> (any Disposable)? in
            guard state.epoch == epoch else { return nil }
            if state.count == 1 { return state.end() }
            state.count -= 1
            return nil
        }
        connection?.dispose()
    }

    /// The source has ended for an observer of `epoch`.
    func endEpoch(_ epoch: Int) -> (any Disposable)? {
        state.withLock { $0.epoch == epoch ? $0.end() : nil }
    }
}

private final class RefCountSink<Source: ConnectableObservableType>: Stage<Source.Element, Source.Element> {
    let parent: RefCount<Source>
    let epoch: Int

    init(_ down: Sink<Source.Element>, _ parent: RefCount<Source>, _ epoch: Int) {
        self.parent = parent
        self.epoch = epoch
        super.init(down: down) { base, element in
            unsafeDowncast(base, to: RefCountSink<Source>.self).deliver(element)
        }
    }

    override func end(_ error: (any Error)?) {
        let connection = parent.endEpoch(epoch)
        super.end(error)
        connection?.dispose()
    }
}
