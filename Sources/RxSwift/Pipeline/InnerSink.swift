public import CRxCore

/// What a junction does with the events of a source: a name for one kind of its sources, of which there are no values.
///
/// Both functions are called by the gate's owner.
@usableFromInline
protocol Port {
    associatedtype Element
    associatedtype Target: Junction
    /// What a source has of its own. It is one load away from its sink: a closure that is called from there needs no
    /// counting.
    associatedtype Own = Void

    /// Handles an element of `source`.
    static func next(_ element: Element, _ junction: Target, _ source: InnerSink<Self>)
    /// Handles the end of `source`.
    static func ended(_ error: (any Error)?, _ junction: Target, _ source: InnerSink<Self>)
}

/// The source of a ``SourceJunction``.
@usableFromInline
enum SourcePort<Target: SourceJunction>: Port {
    @inlinable
    @inline(__always)
    static func next(_ element: Target.Input, _ junction: Target, _ source: InnerSink<Self>) {
        junction.next(element)
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ junction: Target, _ source: InnerSink<Self>) {
        junction.ended(error, source.disposer)
    }
}

/// The other source of an ``OtherJunction``.
@usableFromInline
enum OtherPort<Target: OtherJunction>: Port {
    @inlinable
    @inline(__always)
    static func next(_ element: Target.Other, _ junction: Target, _ source: InnerSink<Self>) {
        junction.next(other: element, source.disposer)
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ junction: Target, _ source: InnerSink<Self>) {
        junction.otherEnded(error, source.disposer)
    }
}

/// The last sink of a chain that feeds a junction. Its events go through the junction's gate.
@usableFromInline
final class InnerSink<P: Port>: Sink<P.Element>, GateTarget {
    @usableFromInline
    let disposer: ChildDisposer
    @usableFromInline
    let junction: P.Target
    @usableFromInline
    let own: P.Own

    @inlinable
    init(_ junction: P.Target, _ own: P.Own, _ disposer: ChildDisposer = ChildDisposer()) {
        self.disposer = disposer
        self.junction = junction
        self.own = own
        super.init(chain: disposer.chain) { base, element in unsafeDowncast(base, to: InnerSink<P>.self).enter(element)
        }
    }

    @inlinable
    var gate: UnsafeMutablePointer<crx_gate> { junction.gate }

    @inlinable
    var guarded: any GateGuarded { junction }

    /// Not `isLive`: elements may wait in the gate, and their end behind them has stopped this chain already. It is
    /// disposed once that end has been handled, and whatever comes then, comes too late.
    @inlinable
    @inline(__always)
    var isWanted: Bool { crx_state_load_relaxed(chain) & UInt(CRX_CHAIN_DISPOSED) == 0 }

    @inlinable
    @inline(__always)
    func step(_ element: P.Element) {
        P.next(element, junction, self)
    }

    @usableFromInline
    func ended(_ error: (any Error)?) {
        P.ended(error, junction, self)
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
            perform(gate, junction) {
                handleEnd(error, disposesItself)
            } enqueue: { me in
                QueuedInput.enqueue(
                    QueuedInput(self, (error, disposesItself)) { waiting, isDropped in
                        let (sink, end) = QueuedInput<InnerSink<P>, ((any Error)?, Bool)>.take(waiting)
                        // Disposed while it waited: the junction has done with this source.
                        if !isDropped && !sink.disposer.isDisposed { sink.handleEnd(end.0, end.1) }
                    }, gate, me, junction)
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
    convenience init(_ junction: P.Target, _ disposer: ChildDisposer = ChildDisposer()) {
        self.init(junction, (), disposer)
    }
}

extension ObservableBase {
    /// Subscribes an inner sink, which its junction lists from before the first event on.
    @inlinable
    final func subscribe<P>(inner sink: InnerSink<P>) {
        sink.junction.children.insert(sink.disposer)
        subscribe(last: sink, sink.disposer)
    }

    /// Subscribes the last sink of a source that takes over from another one; see ``ChildDisposer/init(subscribing:)``.
    @usableFromInline
    final func subscribe(successor: SinkBase, _ disposer: ChildDisposer, in children: Children) {
        children.insert(disposer)
        subscribe(last: successor, disposer)
        disposer.hasBeenSubscribed()
    }
}
