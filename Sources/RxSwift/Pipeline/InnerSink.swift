public import CRxCore

/// What a coordinator does with the events of a source: a name for one kind of its sources, of which there are no
/// values.
///
/// Both functions are called by the gate's owner.
@usableFromInline
protocol Port {
    associatedtype Element
    associatedtype Target: Coordinator

    /// Handles an element of `source`.
    static func next(_ element: Element, _ coordinator: Target, _ source: InnerSink<Self>)
    /// Handles the end of `source`.
    static func ended(_ error: (any Error)?, _ source: InnerSink<Self>)
}

/// A port whose sources each have something of their own. It is one load away from the sink: a closure that is called
/// from there needs no counting.
@usableFromInline
protocol OwningPort: Port {
    associatedtype Own
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
    static func ended(_ error: (any Error)?, _ source: InnerSink<Self>) {
        source.coordinator.ended(error, source.disposer)
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
    static func ended(_ error: (any Error)?, _ source: InnerSink<Self>) {
        source.coordinator.otherEnded(error, source.disposer)
    }
}

/// The last sink of a chain that feeds a coordinator. Its events go through the coordinator's gate.
@usableFromInline
class InnerSink<P: Port>: Sink<P.Element>, GateTarget {
    @usableFromInline
    final let disposer: InnerDisposer
    @usableFromInline
    final let coordinator: P.Target

    @inlinable
    init(_ coordinator: P.Target, _ disposer: InnerDisposer = InnerDisposer()) {
        self.disposer = disposer
        self.coordinator = coordinator
        super.init(chain: disposer.chain) { base, element in
            unsafeDowncast(base, to: InnerSink<P>.self).enter(element)
        }
    }

    @usableFromInline
    final override var feeds: (chain: UnsafeMutablePointer<crx_chain>, operator: OperatorName)? {
        (coordinator.below._withUnsafeGuaranteedRef { $0.chain }, .of(type(of: coordinator), port: P.self))
    }

    @inlinable
    final var gate: UnsafeMutablePointer<crx_gate> { coordinator.gate }

    @inlinable
    final var guarded: any GateGuarded { coordinator }

    /// Not `isLive`: elements may wait in the gate, and their end behind them has stopped this chain already. It is
    /// disposed once that end has been handled, and whatever comes then, comes too late.
    @inlinable
    @inline(__always)
    final var isWanted: Bool { crx_state_load_relaxed(chain) & UInt(CRX_CHAIN_DISPOSED) == 0 }

    @inlinable
    @inline(__always)
    final func step(_ element: P.Element) {
        P.next(element, coordinator, self)
    }

    @usableFromInline
    final func ended(_ error: (any Error)?) {
        P.ended(error, self)
    }

    /// By way of `push`, which finds that the gate is this thread's already: so a client has one copy of the step.
    @inlinable
    final func handle(_ event: Event<P.Element>) {
        switch event {
        case .next(let element): push(self, element)
        case .error(let error): ended(error)
        case .completed: ended(nil)
        }
    }

    @inlinable
    @inline(__always)
    final func eventWaits() { coordinator.innerChains.eventWaits(of: disposer) }

    @inlinable
    @inline(__always)
    final func eventHasWaited() { coordinator.innerChains.eventHasWaited(of: disposer) }

    @usableFromInline
    final override func end(_ error: (any Error)?) {
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

    @inline(__always)
    private final func handleEnd(_ error: (any Error)?, _ disposesItself: Bool) {
        ended(error)
        if disposesItself { disposer.dispose() }
    }
}

/// The inner sink of an ``OwningPort``; every one of its sinks is.
@usableFromInline
final class OwningSink<P: OwningPort, Own>: InnerSink<P> where P.Own == Own {
    // Its type is the class's own parameter, so that who frees it need not look it up.
    @usableFromInline
    let owned: Own

    @inlinable
    init(_ coordinator: P.Target, _ own: Own) {
        owned = own
        super.init(coordinator)
    }
}

extension InnerSink where P: OwningPort {
    /// What the source has of its own.
    @inlinable
    @inline(__always)
    final var own: P.Own { unsafeDowncast(self, to: OwningSink<P, P.Own>.self).owned }
}

extension ObservableBase {
    /// Subscribes an inner sink, which its coordinator lists from before the first event on.
    @inlinable
    final func subscribe<P>(inner sink: InnerSink<P>, passes: Bool = true) {
        let innerChains = sink.coordinator.innerChains
        innerChains.insert(sink.disposer, passes: passes)
        subscribe(last: sink, sink.disposer, scope: innerChains.scope)
    }

    /// Subscribes the last sink of a source that takes over from another one; see ``InnerDisposer/init(subscribing:)``.
    @usableFromInline
    final func subscribe(successor: SinkBase, _ disposer: InnerDisposer, in innerChains: InnerChains) {
        innerChains.insert(disposer)
        subscribe(last: successor, disposer, scope: innerChains.scope)
        disposer.hasBeenSubscribed()
    }
}
