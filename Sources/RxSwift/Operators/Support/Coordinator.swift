public import CRxCore

/// The point where several chains meet, in merge, zip, combineLatest, flatMap, switch and similar operators.
///
/// It has a gate that never closes: each source feeds an ``InnerObserver``, which enters the gate and steps. Only the
/// gate's owner touches the state of a subclass. The chain below owns the list of inner chains, and disposing of it
/// disposes of them at once. The last inner observer to be released frees the coordinator, its buffers, and everything
/// downstream.
///
///     source's cell ──► ... ──► InnerObserver ──► Coordinator ──► chain below ──► ChainLifetime ──► InnerChains
///                                                                   their SinkDisposers ◄──┘
///
/// A subclass holds the state of its operator. It declares its output by ``TypedCoordinator``, and the handling of
/// events by one ``InnerEventHandler`` for each kind of source.
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

    /// Makes the coordinator the source of the chain under context.
    @usableFromInline
    init(_ context: inout SubscribeContext) {
        below = .passRetained(context.takeTop())
        innerChains = InnerChains(of: &context)
    }

    /// Makes the coordinator the source of the chain under context. The chain disposes of it through `upstream`.
    @usableFromInline
    init(_ context: inout SubscribeContext, innerChains: InnerChains, from upstream: any Upstream) {
        below = .passRetained(context.takeTop())
        self.innerChains = innerChains
        context.feed(from: upstream)
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

    /// Ends the chain below, which disposes all inner observers. Only the gate's owner calls it.
    @usableFromInline
    final func end(_ error: (any Error)?) {
        below._withUnsafeGuaranteedRef { $0.end(error) }
    }

    /// Whether the chain below still wants events. Checked before each call of a user's closure.
    @inlinable
    @inline(__always)
    final var isLive: Bool {
        below._withUnsafeGuaranteedRef { $0.isLive }
    }

    /// Called when the chain below resumes, by the gate's owner, on the scope's resumeScheduler.
    @usableFromInline
    func resumed() {}

    /// Runs `body` as the gate's owner, for an input that does not come from a source, such as a timer's tick.
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

    /// The role of the main source.
    var sourceRole: SourceRole { get }
}

extension TypedCoordinator {
    @inlinable
    @inline(__always)
    var sourceRole: SourceRole { .primary }

    /// Hands an element to the chain below. Only the gate's owner calls it.
    @inlinable
    @inline(__always)
    func deliver(_ element: Output) {
        Unmanaged<Sink<Output>>.fromOpaque(below.toOpaque())._withUnsafeGuaranteedRef { $0.push($0, element) }
    }
}

/// A coordinator that handles the elements of one source, or of several sources of the same kind.
@usableFromInline
protocol SourceCoordinator: TypedCoordinator {
    associatedtype Input = Output

    /// Handles an element of a source. The default implementation delivers the element downstream. Only the gate's
    /// owner calls it.
    func next(_ element: Input)
    /// Handles the end of a source. Only the gate's owner calls it.
    func ended(_ error: (any Error)?, _ source: InnerLifetime)
}

extension SourceCoordinator where Input == Output {
    @inlinable
    @inline(__always)
    func next(_ element: Output) {
        deliver(element)
    }
}

extension ObservableType {
    /// A sequence that feeds this one to a coordinator; `coordinator` makes one for each subscription.
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

/// A coordinator with a second source of another kind.
@usableFromInline
protocol OtherCoordinator: TypedCoordinator {
    associatedtype Other

    /// Handles an element of the other source. Only the gate's owner calls it.
    func next(other element: Other, _ other: InnerLifetime)
    /// Handles the end of the other source. By default an error ends the chain below, and a completion only disposes of
    /// the other source. Only the gate's owner calls it.
    func otherEnded(_ error: (any Error)?, _ other: InnerLifetime)
}

extension OtherCoordinator {
    /// Subscribes to both sources. `source` is disposed of first, whichever is subscribed first.
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
    /// Subscribes to both sources. `source` is disposed of first, whichever is subscribed first.
    @inlinable
    func subscribe(_ source: Observable<Input>, _ other: Observable<Other>, otherFirst: Bool = false) {
        subscribe(source, InnerObserver<SourceHandler<Self>>(self), other, otherFirst: otherFirst)
    }
}
