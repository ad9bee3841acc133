public import CRxCore

/// The rules by which a coordinator handles the events of one kind of source. Conforming types have no values.
@usableFromInline
protocol Port {
    associatedtype Element
    associatedtype Target: Coordinator

    /// Whether elements are handled outside the gate, on the thread that sends them. For a serial source whose elements
    /// must have taken effect when `onNext` returns. The end always goes through the gate.
    static var isOutsideGate: Bool { get }

    /// Handles an element of `source`. Called by the gate's owner, or outside the gate.
    static func next(_ element: Element, _ coordinator: Target, _ source: InnerSink<Self>)
    /// Handles the end of `source`. Called by the gate's owner.
    static func ended(_ error: (any Error)?, _ source: InnerSink<Self>)

    /// Whether an event that has waited in the gate should still be handled. Called by the gate's owner.
    static func isWanted(_ source: InnerSink<Self>) -> Bool
    /// Whether an event that the owner sends from inside a delivery may be handled at once. Called by the gate's owner.
    static func mayNest(_ source: InnerSink<Self>) -> Bool

    /// Called on the thread that sent the end of `source`, after the end has been handled or enqueued in the gate.
    ///
    /// - Parameters:
    ///   - isSubscribing: whether the source is still being subscribed.
    ///   - waits: whether the end was enqueued in the gate.
    static func hasSentEnd(_ error: (any Error)?, _ source: InnerSink<Self>, isSubscribing: Bool, waits: Bool)
}

extension Port {
    @inlinable
    @inline(__always)
    static var isOutsideGate: Bool { false }

    /// True until the chain is disposed of.
    @inlinable
    @inline(__always)
    static func isWanted(_ source: InnerSink<Self>) -> Bool {
        crx_state_load_relaxed(source.chain) & UInt(CRX_CHAIN_DISPOSED) == 0
    }

    @inlinable
    @inline(__always)
    static func mayNest(_ source: InnerSink<Self>) -> Bool { true }

    @inlinable
    @inline(__always)
    static func hasSentEnd(_ error: (any Error)?, _ source: InnerSink<Self>, isSubscribing: Bool, waits: Bool) {}
}

/// A port whose sinks each store a value of their own, such as a closure. The sink holds the value itself, one load
/// away, so a call of the closure needs no retain.
@usableFromInline
protocol OwningPort: Port {
    associatedtype Own
}

/// The port for the source of a ``SourceCoordinator``.
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

/// The port for the other source of an ``OtherCoordinator``.
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
            let sink = unsafeDowncast(base, to: InnerSink<P>.self)
            if P.isOutsideGate { P.next(element, sink.coordinator, sink) } else { sink.enter(element) }
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

    @inlinable
    static var sharesGate: Bool { true }

    /// Not checked for queued events: a queued end of the same source may already have marked this chain as stopped.
    @inlinable
    @inline(__always)
    final var isWanted: Bool { isLive }

    @inlinable
    @inline(__always)
    final var mayNest: Bool { P.mayNest(self) }

    @inlinable
    @inline(__always)
    final func step(_ element: P.Element) {
        P.next(element, coordinator, self)
    }

    @usableFromInline
    final func ended(_ error: (any Error)?) {
        P.ended(error, self)
    }

    /// Calls `step` and not `push`: an event that has waited is not nested.
    @inlinable
    final func handle(_ event: Event<P.Element>) {
        switch event {
        case .next(let element): if P.isWanted(self) { step(element) }
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
            var waits = false
            perform(gate, coordinator, source: identity, mayNest: mayNest) {
                handleEnd(error, disposesItself)
            } enqueue: { me in
                waits = true
                QueuedInput.enqueue(
                    QueuedInput(self, (error, disposesItself), from: self) { waiting, isDropped in
                        let (sink, end) = QueuedInput<InnerSink<P>, ((any Error)?, Bool)>.take(waiting)
                        if !isDropped && P.isWanted(sink) { sink.handleEnd(end.0, end.1) }
                    }, gate, me, coordinator)
            }
            P.hasSentEnd(error, self, isSubscribing: disposesItself, waits: waits)
        }
    }

    @inline(__always)
    private final func handleEnd(_ error: (any Error)?, _ disposesItself: Bool) {
        ended(error)
        if disposesItself { disposer.dispose() }
    }
}

/// The inner sink of an ``OwningPort``. Every sink of such a port has this class.
@usableFromInline
final class OwningSink<P: OwningPort, Own>: InnerSink<P> where P.Own == Own {
    // The property's type is a parameter of the class, so that freeing the sink needs no metadata lookup.
    @usableFromInline
    let owned: Own

    @inlinable
    init(_ coordinator: P.Target, _ own: Own) {
        owned = own
        super.init(coordinator)
    }
}

extension InnerSink where P: OwningPort {
    @inlinable
    @inline(__always)
    final var own: P.Own { unsafeDowncast(self, to: OwningSink<P, P.Own>.self).owned }
}

extension ObservableBase {
    /// Subscribes an inner sink. Its coordinator lists it before the first event.
    @inlinable
    final func subscribe<P>(inner sink: InnerSink<P>, passes: Bool = true) {
        let innerChains = sink.coordinator.innerChains
        innerChains.insert(sink.disposer, passes: passes)
        subscribe(last: sink, sink.disposer, scope: innerChains.scope)
    }

    /// Subscribes the last sink of a source that follows another one; see ``InnerDisposer/init(subscribing:)``.
    @usableFromInline
    final func subscribe(successor: SinkBase, _ disposer: InnerDisposer, in innerChains: InnerChains) {
        innerChains.insert(disposer)
        subscribe(last: successor, disposer, scope: innerChains.scope)
        disposer.hasBeenSubscribed()
    }
}
