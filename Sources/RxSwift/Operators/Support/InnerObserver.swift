public import CRxCore

/// The rules by which a coordinator handles the events of one kind of source. Conforming types have no values.
@usableFromInline
protocol InnerEventHandler {
    associatedtype Element
    associatedtype Target: Coordinator

    /// Whether elements are handled outside the gate, on the thread that sends them. For a serial source whose elements
    /// must have taken effect when `onNext` returns. The end always goes through the gate.
    static var isOutsideGate: Bool { get }

    /// Handles an element of `source`. Called by the gate's owner, or outside the gate.
    static func next(_ element: Element, _ coordinator: Target, _ source: InnerObserver<Self>)
    /// Handles the end of `source`. Called by the gate's owner.
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>)

    /// Whether an event that has waited in the gate should still be handled. Called by the gate's owner.
    static func isWanted(_ source: InnerObserver<Self>) -> Bool
    /// Whether an event that the owner sends from inside a delivery may be handled at once. Called by the gate's owner.
    static func mayNest(_ source: InnerObserver<Self>) -> Bool

    /// Called on the thread that sent the end of `source`, after the end has been handled or enqueued in the gate.
    ///
    /// - Parameters:
    ///   - isSubscribing: whether the source is still being subscribed.
    ///   - waits: whether the end was enqueued in the gate.
    static func hasSentEnd(_ error: (any Error)?, _ source: InnerObserver<Self>, isSubscribing: Bool, waits: Bool)
}

extension InnerEventHandler {
    @inlinable
    @inline(__always)
    static var isOutsideGate: Bool { false }

    /// True until the chain is disposed of.
    @inlinable
    @inline(__always)
    static func isWanted(_ source: InnerObserver<Self>) -> Bool {
        !crx_lifetime_is_disposed(crx_lifetime_word_relaxed(source.chain))
    }

    @inlinable
    @inline(__always)
    static func mayNest(_ source: InnerObserver<Self>) -> Bool { true }

    @inlinable
    @inline(__always)
    static func hasSentEnd(_ error: (any Error)?, _ source: InnerObserver<Self>, isSubscribing: Bool, waits: Bool) {}
}

/// An event handler whose sinks each store a value of their own, such as a closure. The sink holds the value itself,
/// one load away, so a call of the closure needs no retain.
@usableFromInline
protocol OwningHandler: InnerEventHandler {
    associatedtype Own
}

/// The event handler for the source of a ``SourceCoordinator``.
@usableFromInline
enum SourceHandler<Target: SourceCoordinator>: InnerEventHandler {
    @inlinable
    @inline(__always)
    static func next(_ element: Target.Input, _ coordinator: Target, _ source: InnerObserver<Self>) {
        coordinator.next(element)
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        source.coordinator.ended(error, source.lifetime)
    }
}

/// The event handler for the other source of an ``OtherCoordinator``.
@usableFromInline
enum OtherHandler<Target: OtherCoordinator>: InnerEventHandler {
    @inlinable
    @inline(__always)
    static func next(_ element: Target.Other, _ coordinator: Target, _ source: InnerObserver<Self>) {
        coordinator.next(other: element, source.lifetime)
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        source.coordinator.otherEnded(error, source.lifetime)
    }
}

/// The terminal observer of a chain that feeds a coordinator. Its events go through the coordinator's gate.
@usableFromInline
class InnerObserver<P: InnerEventHandler>: Sink<P.Element>, GateTarget {
    @usableFromInline
    final let lifetime: InnerLifetime
    @usableFromInline
    final let coordinator: P.Target

    @inlinable
    init(_ coordinator: P.Target, _ lifetime: InnerLifetime = InnerLifetime()) {
        self.lifetime = lifetime
        self.coordinator = coordinator
        super.init(chain: lifetime.chain) { base, element in
            let sink = unsafeDowncast(base, to: InnerObserver<P>.self)
            if P.isOutsideGate { P.next(element, sink.coordinator, sink) } else { sink.enter(element) }
        }
    }

    @usableFromInline
    final override var feeds: (chain: UnsafeMutablePointer<crx_chain>, operator: OperatorName)? {
        (coordinator.below._withUnsafeGuaranteedRef { $0.chain }, .of(type(of: coordinator), handler: P.self))
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
    final func eventWaits() { coordinator.innerChains.eventWaits(of: lifetime) }

    @inlinable
    @inline(__always)
    final func eventHasWaited() { coordinator.innerChains.eventHasWaited(of: lifetime) }

    @usableFromInline
    final override func end(_ error: (any Error)?) {
        lifetime.end { disposesItself in
            var waits = false
            perform(gate, coordinator, source: identity, mayNest: mayNest) {
                handleEnd(error, disposesItself)
            } enqueue: { me in
                waits = true
                QueuedInput.enqueue(
                    QueuedInput(self, (error, disposesItself), from: self) { waiting, isDropped in
                        let (sink, end) = QueuedInput<InnerObserver<P>, ((any Error)?, Bool)>.take(waiting)
                        if !isDropped && P.isWanted(sink) { sink.handleEnd(end.0, end.1) }
                    }, gate, me, coordinator)
            }
            P.hasSentEnd(error, self, isSubscribing: disposesItself, waits: waits)
        }
    }

    @inline(__always)
    private final func handleEnd(_ error: (any Error)?, _ disposesItself: Bool) {
        ended(error)
        if disposesItself { lifetime.dispose() }
    }
}

/// The inner observer of an ``OwningHandler``. Every sink of such an event handler has this class.
@usableFromInline
final class OwningInnerObserver<P: OwningHandler, Own>: InnerObserver<P> where P.Own == Own {
    // The property's type is a parameter of the class, so that freeing the sink needs no metadata lookup.
    @usableFromInline
    let owned: Own

    @inlinable
    init(_ coordinator: P.Target, _ own: Own) {
        owned = own
        super.init(coordinator)
    }
}

extension InnerObserver where P: OwningHandler {
    @inlinable
    @inline(__always)
    final var own: P.Own { unsafeDowncast(self, to: OwningInnerObserver<P, P.Own>.self).owned }
}

extension ObservableBase {
    /// Subscribes an inner observer. Its coordinator lists it before the first event.
    @inlinable
    final func subscribe<P>(inner sink: InnerObserver<P>, as role: SourceRole = .primary) {
        let innerChains = sink.coordinator.innerChains
        innerChains.insert(sink.lifetime, as: role)
        subscribe(last: sink, sink.lifetime, scope: innerChains.scope)
    }

    /// Subscribes the terminal observer of a source that follows another one; see ``InnerLifetime/init(subscribing:)``.
    @usableFromInline
    final func subscribe(successor: SinkBase, _ lifetime: InnerLifetime, in innerChains: InnerChains) {
        innerChains.insert(lifetime)
        subscribe(last: successor, lifetime, scope: innerChains.scope)
        lifetime.hasBeenSubscribed()
    }
}
