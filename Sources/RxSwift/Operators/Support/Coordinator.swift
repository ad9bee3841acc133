public import CRxCore

/// The base of merge, zip, flatMap and similar operators: receives the events of several chains and feeds the chain
/// below.
///
/// A coordinator has a *gate*: a lock-free queue that serializes the events of all sources (see ``GateTarget``). A
/// thread that enters the gate owns it until no event waits. Each source feeds an ``InnerObserver``, which enters the
/// gate and handles the event. Once the first source has been subscribed to, only the owning thread uses the state of a
/// subclass and calls its functions. Comments name the exceptions.
///
/// The arrows are strong references:
///
///     source ──► ... ──► InnerObserver ──► Coordinator ──► chain below ──► ChainLifetime ──► InnerChains
///                                          ChainLifetime of each inner chain ◄─────────────────┘
///
/// The chain below owns the list of inner chains, so the disposal of that chain disposes of all of them at once.
///
/// A subclass conforms to ``TypedCoordinator``, and has an ``InnerEventHandler`` for each kind of source.
@usableFromInline
class Coordinator: GateGuarded {
    // The first stored property, because `gate` is computed from the object's address.
    @usableFromInline
    final var word = crx_gate()
    /// The top of the chain below. Unretained, so a delivery changes no reference count. `retained` keeps the object
    /// alive.
    @usableFromInline
    final let below: Unretained<SinkBase>
    private final let retained: SinkBase
    @usableFromInline
    final let innerChains: InnerChains

    @usableFromInline
    init(_ context: inout SubscribeContext) {
        retained = context.takeTop()
        below = Unretained(retained)
        innerChains = InnerChains(of: &context)
    }

    /// Creates a coordinator for sources that may outlive the chain below. The disposal of the chain below is passed to
    /// `upstream`, which decides when to dispose of `innerChains`.
    @usableFromInline
    init(_ context: inout SubscribeContext, innerChains: InnerChains, from upstream: any Upstream) {
        retained = context.takeTop()
        below = Unretained(retained)
        self.innerChains = innerChains
        context.feed(from: upstream)
    }

    deinit {
        retained.sourceIsGone()
    }

    @inlinable
    final var gate: UnsafeMutablePointer<crx_gate> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_gate.self)
    }

    /// Never called, because this gate never closes.
    @usableFromInline
    final func release() {}

    /// Ends the chain below and disposes of the inner chains, unless observers of sent sequences still use them.
    @usableFromInline
    final func end(_ error: (any Error)?) {
        below.end(error)
    }

    @inlinable
    @inline(__always)
    final var isLive: Bool {
        below.isLive
    }

    /// Called when the chain below resumes, on the `resumeScheduler` of its ``FlowScope``.
    @usableFromInline
    func resumed() {}

    /// Runs `body` inside the gate. Called by any thread.
    @usableFromInline
    final func enter(_ body: @escaping () -> Void) {
        perform(gate, self, step: body) { me in
            QueuedInput.enqueue(
                QueuedInput(self, body) { waiting, isDropped in
                    let (_, body) = QueuedInput<Coordinator, () -> Void>.take(waiting)
                    if !isDropped { body() }
                }, gate, me, self)
        }
    }
}

@usableFromInline
protocol TypedCoordinator: Coordinator {
    associatedtype Output

    var sourceRole: SourceRole { get }
}

extension TypedCoordinator {
    @inlinable
    @inline(__always)
    var sourceRole: SourceRole { .primary }

    @inlinable
    @inline(__always)
    func deliver(_ element: Output) {
        below.push(element)
    }
}

/// A coordinator of one or more sources with the element type `Input`.
@usableFromInline
protocol SourceCoordinator: TypedCoordinator {
    associatedtype Input = Output

    /// By default, delivers the element downstream.
    func next(_ element: Input)
    /// By default, ends the chain below with the same event.
    func ended(_ error: (any Error)?, _ source: InnerLifetime)
}

extension SourceCoordinator {
    @usableFromInline
    func ended(_ error: (any Error)?, _: InnerLifetime) {
        end(error)
    }
}

extension SourceCoordinator where Input == Output {
    @inlinable
    @inline(__always)
    func next(_ element: Output) {
        deliver(element)
    }
}

extension ObservableType {
    @inlinable
    __consuming func joined<Coordinator: SourceCoordinator>(
        by coordinator: @escaping (inout SubscribeContext) -> Coordinator
    )
        -> Observable<Coordinator.Output>
    where Coordinator.Input == Element {
        let source = asObservable()
        return Observable { _, context in
            coordinator(&context).subscribe(source)
            return nil
        }
    }
}

extension SourceCoordinator {
    @inlinable
    @inline(__always)
    func subscribe(_ source: Observable<Input>) {
        source.subscribe(inner: InnerObserver<SourceHandler<Self>>(self), as: sourceRole)
    }
}

/// A coordinator with a second source, of the element type `Other`.
@usableFromInline
protocol OtherCoordinator: TypedCoordinator {
    associatedtype Other

    func next(other element: Other, _ other: InnerLifetime)
    /// By default, an error ends the chain below, and a completion only disposes of `other`.
    func otherEnded(_ error: (any Error)?, _ other: InnerLifetime)
}

extension OtherCoordinator {
    /// Subscribes to both sources. `source` is disposed of first, whatever the order of subscription.
    @inlinable
    func subscribe<P>(
        _ source: Observable<P.Element>, _ sink: InnerObserver<P>, _ other: Observable<Other>, otherFirst: Bool
    ) {
        let otherSink = InnerObserver<OtherHandler<Self>>(self)
        innerChains.insert(sink.lifetime, as: sourceRole)
        innerChains.insert(otherSink.lifetime, as: .sideInput)
        let scope = innerChains.scope
        if otherFirst { other.subscribe(last: otherSink, otherSink.lifetime, scope: scope) }
        source.subscribe(last: sink, sink.lifetime, scope: scope)
        if !otherFirst { other.subscribe(last: otherSink, otherSink.lifetime, scope: scope) }
    }

    @usableFromInline
    func otherEnded(_ error: (any Error)?, _ other: InnerLifetime) {
        if let error { end(error) } else { innerChains.dispose(other) }
    }
}

extension OtherCoordinator where Self: SourceCoordinator {
    @inlinable
    func subscribe(_ source: Observable<Input>, _ other: Observable<Other>, otherFirst: Bool = false) {
        subscribe(source, InnerObserver<SourceHandler<Self>>(self), other, otherFirst: otherFirst)
    }
}

/// How a coordinator handles the events of one kind of source.
@usableFromInline
protocol InnerEventHandler {
    associatedtype Element
    associatedtype Target: Coordinator

    /// Whether the sending thread handles elements outside the gate, before `onNext` returns. Such a source must send
    /// one element at a time. The end always goes through the gate.
    static var isOutsideGate: Bool { get }

    static func next(_ element: Element, _ coordinator: Target, _ source: InnerObserver<Self>)
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>)

    /// Whether an event of `source` that has waited in the gate is still handled.
    static func isWanted(_ source: InnerObserver<Self>) -> Bool
    /// Whether a nested event of `source`, sent by the gate's owner during a delivery, is handled at once. If not, it
    /// is enqueued.
    static func mayNest(_ source: InnerObserver<Self>) -> Bool

    /// Called on the thread that sent the end of `source`, after the end has been handled or, if `waits` is true,
    /// enqueued in the gate. `isSubscribing` is true while the call that subscribes to the source is running.
    static func hasSentEnd(_ error: (any Error)?, _ source: InnerObserver<Self>, isSubscribing: Bool, waits: Bool)
}

extension InnerEventHandler {
    @inlinable
    @inline(__always)
    static var isOutsideGate: Bool { false }

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

/// A handler that uses a value, such as a closure. The inner observer stores the value, so a call needs no retain.
@usableFromInline
protocol OwningHandler: InnerEventHandler {
    associatedtype Own
}

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

/// The terminal observer of a chain that feeds a coordinator.
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
        (coordinator.below.chain, .of(type(of: coordinator), handler: P.self))
    }

    @inlinable
    final var gate: UnsafeMutablePointer<crx_gate> { coordinator.gate }

    @inlinable
    final var guarded: any GateGuarded { coordinator }

    @inlinable
    static var sharesGate: Bool { true }

    /// Whether this chain is live. Checked when an event is sent, not when it leaves the queue: the chain stops when
    /// the source sends its end, even if elements still wait in the queue.
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
                        if !isDropped { sink.handleEnd(end.0, end.1) }
                    }, gate, me, coordinator)
            }
            P.hasSentEnd(error, self, isSubscribing: disposesItself, waits: waits)
        }
    }

    @inline(__always)
    private final func handleEnd(_ error: (any Error)?, _ disposesItself: Bool) {
        // While the end waited, another event may have disposed of the source.
        if P.isWanted(self) { ended(error) }
        if disposesItself { lifetime.dispose() }
    }
}

@usableFromInline
final class OwningInnerObserver<P: OwningHandler, Own>: InnerObserver<P> where P.Own == Own {
    // `Own` is a parameter of the class, so that freeing the object needs no metadata lookup.
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
    @inlinable
    final func subscribe<P>(inner sink: InnerObserver<P>, as role: SourceRole = .primary) {
        let innerChains = sink.coordinator.innerChains
        innerChains.insert(sink.lifetime, as: role)
        subscribe(last: sink, sink.lifetime, scope: innerChains.scope)
    }

    /// Subscribes `successor` with a `lifetime` that ``InnerLifetime/init(subscribing:)`` made.
    @usableFromInline
    final func subscribe(successor: SinkBase, _ lifetime: InnerLifetime, in innerChains: InnerChains) {
        innerChains.insert(lifetime)
        subscribe(last: successor, lifetime, scope: innerChains.scope)
        lifetime.hasBeenSubscribed()
    }
}
