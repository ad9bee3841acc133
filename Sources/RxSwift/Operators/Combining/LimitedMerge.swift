internal import CRxCore

/// What a program calls an operator that has a ``LimitedMergeCoordinator``.
@usableFromInline
enum LimitedMergeName: UInt8 {
    case merge, concat, concatMap

    var text: StaticString {
        switch self {
        case .merge: "merge(maxConcurrent:)"
        case .concat: "concat"
        case .concatMap: "concatMap"
        }
    }
}

/// Merges what its inner sources send, so many at a time, and queues the others.
///
/// The place of a source that has ended passes to the first that waits.
///
/// Guards: the gate's owner alone touches what is here.
@usableFromInline
final class LimitedMergeCoordinator<Output>: Flattener, FlatteningCoordinator {
    @usableFromInline
    let limit: Int32
    @usableFromInline
    let name: LimitedMergeName
    @usableFromInline
    @exclusivity(unchecked)
    var waiting = Ring<Observable<Output>>()
    /// The outer source, where it can be paused, how many may wait before it is, and what is counted of them.
    private var outer: (disposer: InnerDisposer, bound: Int, counters: BoundaryCounters?)?
    /// The source that takes over a place and is being subscribed; nil once it has ended and others wait.
    @usableFromInline
    var successor: InnerDisposer?

    @inlinable
    init(_ assembly: inout Assembly, _ name: LimitedMergeName, limit: Int) {
        self.limit = Int32(clamping: limit)
        self.name = name
        super.init(&assembly)
    }

    @inlinable
    @inline(__always)
    func admit() -> Admission {
        guard active < limit else { return .waits }
        active += 1
        return .runs
    }

    @inlinable
    @inline(__always)
    func add(_ source: consuming Observable<Output>, _ admission: Admission) {
        // A place may have become free while the source was made.
        guard admission == .runs || admit() == .runs else { return wait(source) }
        if let element = Scalar.element(of: source) {
            deliver(element)
            vacate()
        } else {
            subscribe(source)
        }
    }

    @usableFromInline
    func begins(with outer: InnerDisposer) {
        guard case .pausing(let bound)? = innerChains.flow?.own else { return }
        self.outer = (outer, bound, .register(name.text, bound: bound))
    }

    /// Queues a source; enough of them pause the outer one.
    @usableFromInline
    func wait(_ source: Observable<Output>) {
        waiting.append(source)
        guard let outer else { return }
        if waiting.count > outer.bound, !outer.disposer.maySend(above: outer.bound, waiting: waiting.count) {
            let error = outer.disposer.disposeOverflowing("\(name.text)", limit: outer.bound, outer.counters)
            if let error { end(error) }
            return
        }
        outer.counters?.entered()
        if waiting.count == outer.bound {
            if crx_state_load_relaxed(outer.disposer.chain) & CRX_CHAIN_FULL == 0 { outer.counters?.paused() }
            change(outer.disposer, set: CRX_CHAIN_FULL)
        }
    }

    /// Lets the outer source go on, once few wait.
    private func took() {
        guard let outer else { return }
        outer.counters?.left()
        if waiting.count == outer.bound / 4 { change(outer.disposer, clear: CRX_CHAIN_FULL) }
    }

    /// A source has ended. Its place passes to the one that waits longest.
    @inlinable
    func vacate() {
        if waiting.count == 0 { innerCompleted() } else { passPlaceOn() }
    }

    /// In a loop, for the next one may end at once.
    @usableFromInline
    @inline(never)
    func passPlaceOn() {
        while isLive, !waiting.isEmpty {
            let source = waiting.removeFirst()
            took()
            if keepsPlace(source) { return }
        }
        innerCompleted()
    }

    /// Subscribes a source that takes over a place; false where the place is to be passed on by now.
    private func keepsPlace(_ source: Observable<Output>) -> Bool {
        let source = isPaused ? source.pausable : source
        if let element = Scalar.element(of: source) {
            deliver(element)
            return false
        }
        let sink = InnerSink<SourcePort<LimitedMergeCoordinator>>(self, InnerDisposer(subscribing: ()))
        // Another place may become free while it is subscribed, and be taken over in turn.
        let outer = successor
        successor = sink.disposer
        source.subscribe(successor: sink, sink.disposer, in: innerChains)
        let runs = successor === sink.disposer
        successor = outer
        return runs
    }

    @usableFromInline
    override func outerEnded(_ error: (any Error)?, _ outer: InnerDisposer) {
        // Where nothing runs, the end comes before the outer source is disposed of: RxSwift's way.
        if active == 0 && error == nil { end(nil) } else { super.outerEnded(error, outer) }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?, _ inner: InnerDisposer) {
        if let error { return fail(error) }
        innerChains.dispose(inner)
        // While it is being subscribed, the loop that does so passes its place on.
        if inner === successor && !waiting.isEmpty { successor = nil } else { vacate() }
    }
}
