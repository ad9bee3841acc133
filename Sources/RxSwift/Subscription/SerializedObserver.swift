public import CRxCore

/// Receives events on any thread, and delivers them to a chain through a gate, which closes at the terminal event or
/// the disposal.
///
/// Guards: `sink` is used only by the thread that owns the gate (see ``GateTarget``), and released by the thread that
/// closes the gate.
@usableFromInline
final class SerializedObserver<Element>: GateTarget, GateGuarded, Upstream {
    // The first stored property, because `gate` is computed from its address.
    @usableFromInline
    var word = crx_gate()

    /// The top of the chain, retained until the gate has closed. Unmanaged, so that a delivery changes no reference
    /// count.
    @usableFromInline
    let sink: Unmanaged<Sink<Element>>
    @usableFromInline
    let deliver: Sink<Element>.Push

    @inlinable
    init(_ sink: Sink<Element>) {
        deliver = sink.push
        self.sink = Unmanaged.passRetained(sink)
    }

    deinit {
        if !crx_gate_is_closed_acquire(gate) { release() }
    }

    @inlinable
    var gate: UnsafeMutablePointer<crx_gate> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_gate.self)
    }

    @inlinable
    var guarded: any GateGuarded { self }

    @inlinable
    static var holdsGate: Bool { true }

    @inlinable
    @inline(__always)
    func step(_ element: Element) {
        sink._withUnsafeGuaranteedRef { deliver($0, element) }
    }

    @usableFromInline
    func ended(_ error: (any Error)?) {
        _ = crx_gate_close(gate)
        sink._withUnsafeGuaranteedRef { $0.end(error) }
    }

    @usableFromInline
    func dispose(key _: UnsafeMutableRawPointer?) {
        close()
    }

    @usableFromInline
    func close() {
        if crx_gate_close(gate) { release() }
    }

    @usableFromInline
    func release() {
        SinkBase.release(.fromOpaque(sink.toOpaque()))
    }
}

@usableFromInline
class ObserverHandle<Element> {
    @usableFromInline
    typealias Push = (ObserverHandle<Element>, Element) -> Void

    /// Delivers an element. Captures nothing, like the `push` of a ``Sink``.
    @usableFromInline
    let push: Push

    @inlinable
    init(push: @escaping Push) {
        self.push = push
    }

    @usableFromInline
    func end(_ error: (any Error)?) {
        abstractMethod()
    }

    /// If true, no event can be delivered any more. May be false although the chain has ended.
    var isOver: Bool { false }
}

/// The handle of the observer that `create` passes to its closure. When the last copy of that observer is released, a
/// chain without a teardown is released too.
@usableFromInline
class SerializedObserverHandle<Element>: ObserverHandle<Element> {
    @usableFromInline
    final let observer: SerializedObserver<Element>

    @inlinable
    init(_ observer: SerializedObserver<Element>) {
        self.observer = observer
        super.init(push: { base, element in
            unsafeDowncast(base, to: SerializedObserverHandle<Element>.self).observer.enter(element)
        })
    }

    deinit {
        observer.close()
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        observer.enterEnd(error)
    }

    override var isOver: Bool { crx_gate_is_closed_acquire(observer.gate) }
}

/// The handle for a source that checks whether elements are wanted. After a disposal, the teardown that closes the gate
/// may still wait for a scheduler, so `isOver` also reads the chain's word.
private final class AskingHandle<Element>: SerializedObserverHandle<Element> {
    private let lifetime: ChainLifetime

    init(_ observer: SerializedObserver<Element>, _ lifetime: ChainLifetime) {
        self.lifetime = lifetime
        super.init(observer)
    }

    override var isOver: Bool { super.isOver || !crx_lifetime_is_live(lifetime.chain) }
}

extension SubscribeContext {
    /// Passes an observer for the chain to `subscribe`. The chain adopts the disposable that `subscribe` returns.
    @inlinable
    @inline(__always)
    mutating func feed<Element>(by subscribe: (AnyObserver<Element>) -> any Disposable) {
        if isInScope { return feedInScope(by: subscribe) }
        let handle = SerializedObserverHandle(SerializedObserver(takeTop(for: Element.self)))
        feed(from: handle.observer)
        let observer = AnyObserver(handle: handle)
        adopt(subscribe(observer), keeping: true)
        // If `observer` were released before the teardown is adopted, the chain could be freed.
        withExtendedLifetime(observer) {}
    }

    /// Like ``feed(by:)``, for a closure that checks whether the observer has room, or calls the observer's `send`.
    mutating func feedAsking<Element>(by subscribe: (AnyObserver<Element>) -> any Disposable) {
        if isInScope { return feedInScope(by: subscribe) }
        let observer = SerializedObserver(takeTop(for: Element.self))
        feed(from: observer)
        let handle = AskingHandle(observer, lifetime)
        adopt(subscribe(AnyObserver(handle: handle)), keeping: true)
        withExtendedLifetime(handle) {}
    }
}
