public import CRxCore

/// Where several chains meet: merge, zip, combineLatest, flatMap, switch and their like.
///
/// It has a gate, and no close: each source feeds an ``InnerSink``, which enters the gate and steps. The owner of the
/// gate alone touches the state of a subclass. The chain below owns the list of children, and disposing it disposes
/// them at once; the last one out frees the junction, its buffers, and what is downstream.
///
///     child's cell ──► ... ──► InnerSink ──► Junction ──► chain below ──► SinkDisposer ──► Children ──► each child's SinkDisposer
///
/// A subclass holds the state of its operator, says by ``TypedJunction`` what it sends, and by a ``Port`` for each kind
/// of source what it does with their events.
@usableFromInline
class Junction: GateGuarded {
    // The first stored property: `gate` points at it.
    @usableFromInline
    @exclusivity(unchecked)
    final var word = crx_gate()
    /// The top of the chain below, retained. Unmanaged, because a delivery must not count references.
    @usableFromInline
    final let below: Unmanaged<SinkBase>
    @usableFromInline
    final let children: Children

    /// Makes the junction the source of the chain that `assembly` puts together.
    @usableFromInline
    init(_ assembly: inout Assembly) {
        below = .passRetained(assembly.takeTop())
        children = Children()
        assembly.feed(from: children)
    }

    /// Makes the junction the source of the chain that `assembly` puts together, which ends it through `upstream`.
    @usableFromInline
    init(_ assembly: inout Assembly, children: Children, from upstream: any Upstream) {
        below = .passRetained(assembly.takeTop())
        self.children = children
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

    /// Ends the chain below, which disposes all children. Only the gate's owner calls it.
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

    /// Runs `body` as the gate's owner: what no source brings, such as a timer's tick.
    @usableFromInline
    final func enter(_ body: @escaping () -> Void) {
        perform(gate, self, step: body) { me in
            QueuedInput.enqueue(
                QueuedInput(self, body) { waiting, isDropped in
                    let (_, body) = QueuedInput<Junction, () -> Void>.take(waiting)
                    if !isDropped { body() }
                }, gate, me, self)
        }
    }
}

/// A junction, with what it sends.
@usableFromInline
protocol TypedJunction: Junction {
    associatedtype Output
}

extension TypedJunction {
    /// Hands an element to the chain below. Only the gate's owner calls it.
    @inlinable
    @inline(__always)
    func deliver(_ element: Output) {
        Unmanaged<Sink<Output>>.fromOpaque(below.toOpaque())._withUnsafeGuaranteedRef { $0.push($0, element) }
    }
}

/// A junction that takes the elements of a source, or of several that are alike.
@usableFromInline
protocol SourceJunction: TypedJunction {
    associatedtype Input = Output

    /// Handles an element of a source. Unless a junction has its own way, the element is passed on. Only the gate's
    /// owner calls it.
    func next(_ element: Input)
    /// Handles the end of a source. Only the gate's owner calls it.
    func ended(_ error: (any Error)?, _ source: ChildDisposer)
}

extension SourceJunction where Input == Output {
    @inlinable
    @inline(__always)
    func next(_ element: Output) {
        deliver(element)
    }
}

extension ObservableType {
    /// What a junction makes of this sequence, one that is made for each subscription.
    @inlinable
    __consuming func joined<Junction: SourceJunction>(by junction: @escaping (inout Assembly) -> Junction)
        -> Observable<Junction.Output>
    where Junction.Input == Element {
        let source = asObservable()
        return Observable { _, assembly in
            junction(&assembly).subscribe(source)
            return nil
        }
    }
}

extension SourceJunction {
    /// Subscribes to a source.
    @inlinable
    func subscribe(_ source: Observable<Input>) {
        source.subscribe(inner: InnerSink<SourcePort<Self>>(self))
    }
}

/// A junction with another source beside that whose elements it takes.
@usableFromInline
protocol OtherJunction: TypedJunction {
    associatedtype Other

    /// Handles an element of the other source. Only the gate's owner calls it.
    func next(other element: Other, _ other: ChildDisposer)
    /// Handles the end of the other source. Unless a junction has its own way, completion changes nothing. Only the
    /// gate's owner calls it.
    func otherEnded(_ error: (any Error)?, _ other: ChildDisposer)
}

extension OtherJunction {
    /// Subscribes to both sources, which are disposed of in this order, whichever is subscribed first.
    @inlinable
    func subscribe<P>(
        _ source: Observable<P.Element>, _ sink: InnerSink<P>, _ other: Observable<Other>, otherFirst: Bool
    ) {
        let otherSink = InnerSink<OtherPort<Self>>(self)
        children.insert(sink.disposer)
        children.insert(otherSink.disposer)
        if otherFirst { other.subscribe(last: otherSink, otherSink.disposer) }
        source.subscribe(last: sink, sink.disposer)
        if !otherFirst { other.subscribe(last: otherSink, otherSink.disposer) }
    }

    @usableFromInline
    func otherEnded(_ error: (any Error)?, _ other: ChildDisposer) {
        if let error { end(error) } else { children.dispose(other) }
    }
}

extension OtherJunction where Self: SourceJunction {
    /// Subscribes to both sources, which are disposed of in this order, whichever is subscribed first.
    @inlinable
    func subscribe(_ source: Observable<Input>, _ other: Observable<Other>, otherFirst: Bool = false) {
        subscribe(source, InnerSink<SourcePort<Self>>(self), other, otherFirst: otherFirst)
    }
}
