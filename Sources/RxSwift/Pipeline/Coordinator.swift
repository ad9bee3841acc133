public import CRxCore

/// Where several chains meet: merge, zip, combineLatest, flatMap, switch and their like.
///
/// It has a gate, and no close: each source feeds an ``InnerSink``, which enters the gate and steps. The owner of the
/// gate alone touches the state of a subclass. The chain below owns the list of inner chains, and disposing it disposes
/// them at once; the last one out frees the coordinator, its buffers, and what is downstream.
///
///     source's cell ──► ... ──► InnerSink ──► Coordinator ──► chain below ──► SinkDisposer ──► InnerChains
///                                                                   their SinkDisposers ◄──┘
///
/// A subclass holds the state of its operator, says by ``TypedCoordinator`` what it sends, and by a ``Port`` for each
/// kind of source what it does with their events.
@usableFromInline
class Coordinator: GateGuarded {
    // The first stored property: `gate` points at it.
    @usableFromInline
    final var word = crx_gate()
    /// The top of the chain below, retained. Unmanaged, because a delivery must not count references.
    @usableFromInline
    final let below: Unmanaged<SinkBase>
    @usableFromInline
    final let innerChains: InnerChains

    /// Makes the coordinator the source of the chain that `assembly` puts together.
    @usableFromInline
    init(_ assembly: inout Assembly) {
        below = .passRetained(assembly.takeTop())
        innerChains = InnerChains(of: &assembly)
    }

    /// Makes the coordinator the source of the chain that `assembly` puts together, which ends it through `upstream`.
    @usableFromInline
    init(_ assembly: inout Assembly, innerChains: InnerChains, from upstream: any Upstream) {
        below = .passRetained(assembly.takeTop())
        self.innerChains = innerChains
        assembly.feed(from: upstream)
    }

    deinit {
        SinkBase.release(below)
    }

    @inlinable
    final var gate: UnsafeMutablePointer<crx_gate> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_gate.self)
    }

    @usableFromInline
    final func release() {}

    /// Ends the chain below, which disposes all inner sinks. Only the gate's owner calls it.
    @usableFromInline
    final func end(_ error: (any Error)?) {
        below._withUnsafeGuaranteedRef { $0.end(error) }
    }

    /// Whether the chain below still wants events. Asked before each of the user's closures.
    @inlinable
    @inline(__always)
    final var isLive: Bool {
        below._withUnsafeGuaranteedRef { $0.isLive }
    }

    /// Whether the chain below is paused.
    @inlinable
    final var isPaused: Bool {
        below._withUnsafeGuaranteedRef { crx_state_load_relaxed($0.chain) & CRX_CHAIN_REASONS != 0 }
    }

    /// Whether what is due may wait: ``resumed()`` will be called, or the chain below is disposed of. Until that has
    /// returned the coordinator is kept: its sources and timers may be gone. Only the gate's owner calls it.
    ///
    /// - Parameter state: what is kept in its place, and keeps it.
    @usableFromInline
    final func keepsForResume(_ state: AnyObject? = nil) -> Bool { innerChains.keepsForResume(state ?? self) }

    /// Sets and clears reasons of a source's chain. Only the gate's owner calls it, who alone changes those.
    final func change(_ disposer: InnerDisposer, set: UInt = 0, clear: UInt = 0) {
        var agenda = FlowAgenda(turnOf: nil)
        agenda.change(disposer, set: set, clear: clear)
        agenda.tellAll()
    }

    /// Has ``resumed()`` called, in a scope of flow control.
    @usableFromInline
    final func hearsOfResumes() {
        innerChains.tellsResumes(to: self)
    }

    /// The chain below goes on. Only the gate's owner calls it, at the scope's home.
    @usableFromInline
    func resumed() {}

    /// Runs `body` as the gate's owner: what no source brings, such as a timer's tick.
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

/// A coordinator, with what it sends.
@usableFromInline
protocol TypedCoordinator: Coordinator {
    associatedtype Output

    /// Whether the source whose elements it takes is paused with the chain below. One that only says when never is.
    var passesSource: Bool { get }
}

extension TypedCoordinator {
    @inlinable
    @inline(__always)
    var passesSource: Bool { true }

    /// Hands an element to the chain below. Only the gate's owner calls it.
    @inlinable
    @inline(__always)
    func deliver(_ element: Output) {
        Unmanaged<Sink<Output>>.fromOpaque(below.toOpaque())._withUnsafeGuaranteedRef { $0.push($0, element) }
    }
}

/// A coordinator that takes the elements of a source, or of several that are alike.
@usableFromInline
protocol SourceCoordinator: TypedCoordinator {
    associatedtype Input = Output

    /// Handles an element of a source. Unless a coordinator has its own way, the element is passed on. Only the gate's
    /// owner calls it.
    func next(_ element: Input)
    /// Handles the end of a source. Only the gate's owner calls it.
    func ended(_ error: (any Error)?, _ source: InnerDisposer)
}

extension SourceCoordinator where Input == Output {
    @inlinable
    @inline(__always)
    func next(_ element: Output) {
        deliver(element)
    }
}

extension ObservableType {
    /// What a coordinator makes of this sequence, one that is made for each subscription.
    @inlinable
    __consuming func joined<Coordinator: SourceCoordinator>(by coordinator: @escaping (inout Assembly) -> Coordinator)
        -> Observable<Coordinator.Output>
    where Coordinator.Input == Element {
        let source = asObservable()
        return Observable { _, assembly in
            coordinator(&assembly).subscribe(source)
            return nil
        }
    }
}

extension SourceCoordinator {
    /// Subscribes to a source.
    @inlinable
    @inline(__always)
    func subscribe(_ source: Observable<Input>) {
        source.subscribe(inner: InnerSink<SourcePort<Self>>(self), passes: passesSource)
    }
}

/// A coordinator with another source beside that whose elements it takes.
@usableFromInline
protocol OtherCoordinator: TypedCoordinator {
    associatedtype Other

    /// Handles an element of the other source. Only the gate's owner calls it.
    func next(other element: Other, _ other: InnerDisposer)
    /// Handles the end of the other source. Unless a coordinator has its own way, completion changes nothing. Only the
    /// gate's owner calls it.
    func otherEnded(_ error: (any Error)?, _ other: InnerDisposer)
}

extension OtherCoordinator {
    /// Subscribes to both sources, which are disposed of in this order, whichever is subscribed first.
    @inlinable
    func subscribe<P>(
        _ source: Observable<P.Element>, _ sink: InnerSink<P>, _ other: Observable<Other>, otherFirst: Bool
    ) {
        let otherSink = InnerSink<OtherPort<Self>>(self)
        innerChains.insert(sink.disposer, passes: passesSource)
        innerChains.insert(otherSink.disposer, passes: false)
        let scope = innerChains.scope
        if otherFirst { other.subscribe(last: otherSink, otherSink.disposer, scope: scope) }
        source.subscribe(last: sink, sink.disposer, scope: scope)
        if !otherFirst { other.subscribe(last: otherSink, otherSink.disposer, scope: scope) }
    }

    @usableFromInline
    func otherEnded(_ error: (any Error)?, _ other: InnerDisposer) {
        if let error { end(error) } else { innerChains.dispose(other) }
    }
}

extension OtherCoordinator where Self: SourceCoordinator {
    /// Subscribes to both sources, which are disposed of in this order, whichever is subscribed first.
    @inlinable
    func subscribe(_ source: Observable<Input>, _ other: Observable<Other>, otherFirst: Bool = false) {
        subscribe(source, InnerSink<SourcePort<Self>>(self), other, otherFirst: otherFirst)
    }
}
