public import CRxCore

/// What a coordinator does with the events of a source: a name for one kind of its sources, of which there are no
/// values.
///
/// Both functions are called by the gate's owner.
@usableFromInline
protocol Port {
    associatedtype Element
    associatedtype Target: Coordinator
    /// What a source has of its own. It is one load away from its sink: a closure that is called from there needs no
    /// counting.
    associatedtype Own = Void

    /// Handles an element of `source`.
    static func next(_ element: Element, _ coordinator: Target, _ source: InnerSink<Self>)
    /// Handles the end of `source`.
    static func ended(_ error: (any Error)?, _ coordinator: Target, _ source: InnerSink<Self>)
}

/// The source of a ``SourceCoordinator``.
@usableFromInline
enum SourcePort<Target: SourceCoordinator>: Port {
    @inlinable
    @inline(__always)
    static func next(_ element: Target.Input, _ coordinator: Target, _ source: InnerSink<Self>) {
        coordinator.next(element)
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ coordinator: Target, _ source: InnerSink<Self>) {
        coordinator.ended(error, source.disposer)
    }
}

/// The other source of an ``OtherCoordinator``.
@usableFromInline
enum OtherPort<Target: OtherCoordinator>: Port {
    @inlinable
    @inline(__always)
    static func next(_ element: Target.Other, _ coordinator: Target, _ source: InnerSink<Self>) {
        coordinator.next(other: element, source.disposer)
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ coordinator: Target, _ source: InnerSink<Self>) {
        coordinator.otherEnded(error, source.disposer)
    }
}

/// The last sink of a chain that feeds a coordinator. Its events go through the coordinator's gate.
@usableFromInline
final class InnerSink<P: Port>: Sink<P.Element>, GateTarget {
    @usableFromInline
    let disposer: InnerDisposer
    @usableFromInline
    let coordinator: P.Target
    @usableFromInline
    let own: P.Own

    @inlinable
    init(_ coordinator: P.Target, _ own: P.Own, _ disposer: InnerDisposer = InnerDisposer()) {
        self.disposer = disposer
        self.coordinator = coordinator
        self.own = own
        super.init(chain: disposer.chain) { base, element in unsafeDowncast(base, to: InnerSink<P>.self).enter(element)
        }
    }

    @inlinable
    var gate: UnsafeMutablePointer<crx_gate> { coordinator.gate }

    @inlinable
    var guarded: any GateGuarded { coordinator }

    /// Not `isLive`: elements may wait in the gate, and their end behind them has stopped this chain already. It is
    /// disposed once that end has been handled, and whatever comes then, comes too late.
    @inlinable
    @inline(__always)
    var isWanted: Bool { crx_state_load_relaxed(chain) & UInt(CRX_CHAIN_DISPOSED) == 0 }

    @inlinable
    @inline(__always)
    func step(_ element: P.Element) {
        P.next(element, coordinator, self)
    }

    @usableFromInline
    func ended(_ error: (any Error)?) {
        P.ended(error, coordinator, self)
    }

    /// By way of `push`, which finds that the gate is this thread's already: so a client has one copy of the step.
    @inlinable
    func handle(_ event: Event<P.Element>) {
        switch event {
        case .next(let element): push(self, element)
        case .error(let error): ended(error)
        case .completed: ended(nil)
        }
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        disposer.end { disposesItself in
            perform(gate, coordinator) {
                handleEnd(error, disposesItself)
            } enqueue: { me in
                QueuedInput.enqueue(
                    QueuedInput(self, (error, disposesItself)) { waiting, isDropped in
                        let (sink, end) = QueuedInput<InnerSink<P>, ((any Error)?, Bool)>.take(waiting)
                        // Disposed while it waited: the coordinator has done with this source.
                        if !isDropped && !sink.disposer.isDisposed { sink.handleEnd(end.0, end.1) }
                    }, gate, me, coordinator)
            }
        }
    }

    private func handleEnd(_ error: (any Error)?, _ disposesItself: Bool) {
        ended(error)
        if disposesItself { disposer.dispose() }
    }
}

extension InnerSink where P.Own == Void {
    @inlinable
    convenience init(_ coordinator: P.Target, _ disposer: InnerDisposer = InnerDisposer()) {
        self.init(coordinator, (), disposer)
    }
}

extension ObservableBase {
    /// Subscribes an inner sink, which its coordinator lists from before the first event on.
    @inlinable
    final func subscribe<P>(inner sink: InnerSink<P>) {
        sink.coordinator.innerChains.insert(sink.disposer)
        subscribe(last: sink, sink.disposer)
    }

    /// Subscribes the last sink of a source that takes over from another one; see ``InnerDisposer/init(subscribing:)``.
    @usableFromInline
    final func subscribe(successor: SinkBase, _ disposer: InnerDisposer, in innerChains: InnerChains) {
        innerChains.insert(disposer)
        subscribe(last: successor, disposer)
        disposer.hasBeenSubscribed()
    }
}
