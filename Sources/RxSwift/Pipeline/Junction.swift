public import CRxCore

/// Where several chains meet: merge, zip, combineLatest, flatMap, switch and their like.
///
/// It has a gate, and no close: each source feeds a ``Child``, which enters the gate and steps. The owner of the gate
/// alone touches the state of a subclass. The chain below owns the list of children, and disposing it disposes them at
/// once; the last one out frees the junction, its buffers, and what is downstream.
///
///     child's cell ──► ... ──► Child ──► Junction ──► chain below ──► SinkDisposer ──► Children ──► each child's SinkDisposer
@usableFromInline
class Junction<Output>: GateGuarded {
    // The first stored property: `gate` points at it.
    @usableFromInline
    @exclusivity(unchecked)
    var word = crx_gate()
    /// Retained. Unmanaged, because a delivery must not count references.
    @usableFromInline
    let down: Unmanaged<Sink<Output>>
    @usableFromInline
    let children: Children

    /// Makes the junction the source of the chain that `assembly` puts together.
    @inlinable
    init(_ assembly: inout Assembly) {
        down = Unmanaged.passRetained(assembly.sink(of: Output.self))
        children = Children()
        assembly.feed(from: children)
    }

    /// Makes the junction the source of the chain that `assembly` puts together, which ends it through `upstream`.
    @inlinable
    init(_ assembly: inout Assembly, children: Children, from upstream: any Upstream) {
        down = Unmanaged.passRetained(assembly.sink(of: Output.self))
        self.children = children
        assembly.feed(from: upstream)
    }

    @inlinable
    deinit {
        SinkBase.release(down)
    }

    @inlinable
    final var gate: UnsafeMutablePointer<crx_gate> {
        _getUnsafePointerToStoredProperties(self).assumingMemoryBound(to: crx_gate.self)
    }

    @usableFromInline
    final func release() {}

    /// Hands an element to the chain below. Only the gate's owner calls it.
    @inlinable
    @inline(__always)
    final func deliver(_ element: Output) {
        down._withUnsafeGuaranteedRef { $0.push($0, element) }
    }

    /// Ends the chain below, which disposes all children. Only the gate's owner calls it.
    @usableFromInline
    final func end(_ error: (any Error)?) {
        down._withUnsafeGuaranteedRef { $0.end(error) }
    }

    /// Whether the chain below still wants events. Asked before each of the user's closures.
    @inlinable
    @inline(__always)
    final var isLive: Bool {
        down._withUnsafeGuaranteedRef { $0.isLive }
    }

    /// Runs `body` as the gate's owner: what no source brings, such as a timer's tick.
    @usableFromInline
    final func enter(_ body: @escaping () -> Void) {
        perform(gate, self, step: body) { me in
            QueuedInput.enqueue(
                QueuedInput(self, body) { waiting, isDropped in
                    let (_, body) = QueuedInput<Junction<Output>, () -> Void>.take(waiting)
                    if !isDropped { body() }
                }, gate, me, self)
        }
    }
}

/// The last sink of a chain that feeds a junction. Its events go through the junction's gate.
///
/// A subclass conforms to ``GateTarget`` and gives `push` as `{ unsafeDowncast($0, to: Itself.self).enter($1) }`.
@usableFromInline
class Child<Element>: Sink<Element> {
    @usableFromInline
    let disposer: ChildDisposer
    @usableFromInline
    let gate: UnsafeMutablePointer<crx_gate>

    @inlinable
    init(gate: UnsafeMutablePointer<crx_gate>, _ disposer: ChildDisposer = ChildDisposer(), push: @escaping Push) {
        self.disposer = disposer
        self.gate = gate
        super.init(chain: disposer.chain, push: push)
    }

    /// The junction.
    @usableFromInline
    var guarded: any GateGuarded {
        abstractMethod()
    }

    /// Not `isLive`: elements may wait in the gate, and their end behind them has stopped this chain already. It is
    /// disposed once that end has been handled, and whatever comes then, comes too late.
    @inlinable
    @inline(__always)
    final var isWanted: Bool { crx_state_load_relaxed(chain) & UInt(CRX_CHAIN_DISPOSED) == 0 }

    /// Handles the terminal event of this source, as the gate's owner.
    @usableFromInline
    func ended(_ error: (any Error)?) {
        abstractMethod()
    }

    @usableFromInline
    final override func end(_ error: (any Error)?) {
        disposer.end { disposesItself in
            perform(gate, guarded) {
                handleEnd(error, disposesItself)
            } enqueue: { me in
                QueuedInput.enqueue(
                    QueuedInput(self, (error, disposesItself)) { waiting, isDropped in
                        let (child, end) = QueuedInput<Child<Element>, ((any Error)?, Bool)>.take(waiting)
                        // Disposed while it waited: the junction has done with this source.
                        if !isDropped && !child.disposer.isDisposed { child.handleEnd(end.0, end.1) }
                    }, gate, me, guarded)
            }
        }
    }

    private final func handleEnd(_ error: (any Error)?, _ disposesItself: Bool) {
        ended(error)
        if disposesItself { disposer.dispose() }
    }
}

// Every `Child` that is a target, that is; to say `Self: Child<Element>` would be circular.
extension GateTarget where Self: SinkBase {
    /// By way of `push`, which finds that the gate is this thread's already: so a client has one copy of the step.
    @inlinable
    func handle(_ event: Event<Element>) {
        switch event {
        case .next(let element):
            let sink = unsafeDowncast(self as SinkBase, to: Sink<Element>.self)
            sink.push(sink, element)
        case .error(let error): ended(error)
        case .completed: ended(nil)
        }
    }
}

extension ObservableBase {
    /// Subscribes a child, which its junction lists from before the first event on.
    @inlinable
    final func subscribe<Element>(child: Child<Element>, in children: Children) {
        children.insert(child.disposer)
        subscribe(last: child, child.disposer)
    }

    /// Subscribes a child that takes over from another one; see ``ChildDisposer/init(subscribing:)``.
    @usableFromInline
    final func subscribe(successor: SinkBase, _ disposer: ChildDisposer, in children: Children) {
        children.insert(disposer)
        subscribe(last: successor, disposer)
        disposer.hasBeenSubscribed()
    }
}
