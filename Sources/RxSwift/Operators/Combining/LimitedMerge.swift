public import CRxCore

/// The public name of an operator that uses a ``LimitedMergeCoordinator``.
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

/// Merges at most `limit` inner sources at a time, and queues further ones.
///
/// The place of a source that has ended passes to the source that has waited longest, on the thread that ended it. With
/// one place, the number of a source is the number of sources that had ended when it was subscribed: the events of
/// those come first.
///
/// Guards:
/// - `waiting`: `lock`.
/// - `made`: the thread of the outer source writes it, under `lock` if a source runs. That thread reads it without a
///   lock.
/// - `ended`: changes under `lock`. The thread of the outer source reads it without. If it equals `made`, no source
///   runs or waits, and only that thread can change this; then it needs no lock.
@usableFromInline
final class LimitedMergeCoordinator<Output>: Flattener, FlatteningCoordinator {
    @usableFromInline
    let limit: Int
    @usableFromInline
    let name: LimitedMergeName
    @exclusivity(unchecked)
    private var lock = crx_lock()
    @exclusivity(unchecked)
    private var waiting = Ring<Observable<Output>>()
    /// The number of ended sources. A source counts once its end has been handled or queued at the gate.
    @usableFromInline
    @exclusivity(unchecked)
    var ended = crx_flag()
    /// The bound on `waiting`; nil if the outer source cannot be paused.
    private var outer: QueueBound?

    @usableFromInline
    init(_ context: inout SubscribeContext, _ name: LimitedMergeName, limit: Int) {
        self.limit = limit
        self.name = name
        super.init(&context)
    }

    @usableFromInline
    func begins(with outer: InnerLifetime) {
        self.outer = innerChains.bound(on: outer, named: name.text)
    }

    // MARK: The outer source

    @inlinable
    @inline(__always)
    func admit() -> Admission {
        if made == Int(crx_flag_load_acquire(&ended)) && limit > 0 {
            made += 1
            return .runs
        }
        return takePlace() ? .runs : .waits
    }

    /// Takes a place, if there is one. Returns whether it did.
    @usableFromInline
    func takePlace() -> Bool {
        crx_lock_acquire(&lock)
        defer { crx_lock_release(&lock) }
        return takePlace_locked()
    }

    private func takePlace_locked() -> Bool {
        guard limit > 0, made - Int(crx_flag_load_relaxed(&ended)) - waiting.count < limit else { return false }
        made += 1
        return true
    }

    @inlinable
    @inline(__always)
    func add(_ source: consuming Observable<Output>, _ admission: Admission, _ outer: InnerLifetime) {
        guard admission == .runs else { return queue(source) }
        if let element = Scalar.element(of: source) {
            send(scalar: element, number, of: outer)
            // This source was the only one that ran, and none waits.
            if Int(crx_flag_load_acquire(&ended)) == made - 1 {
                crx_flag_store_release(&ended, UInt(made))
            } else {
                passPlaceOn()
            }
        } else {
            source.subscribe(inner: NumberedInnerObserver<LimitedHandler<Output>>(self, number))
        }
    }

    /// The number of the source that is about to run.
    @inlinable
    var number: Int { limit == 1 ? Int(crx_flag_load_acquire(&ended)) : 0 }

    /// Queues a source, or runs it if a place has become free since. The outer source is paused when its bound is
    /// reached.
    @usableFromInline
    func queue(_ source: Observable<Output>) {
        var worklist = PauseWorklist(turnOf: nil)
        crx_lock_acquire(&lock)
        if takePlace_locked() {
            crx_lock_release(&lock)
            return run(source)
        }
        // If the limit is 0, the result does not wait for the queued sources.
        if limit > 0 { made += 1 }
        waiting.append(source)
        let overflows = outer?.admit(waiting.count - 1) == .overflows
        if !overflows { outer?.counters?.entered() }
        outer?.settle(waiting.count, &worklist)
        crx_lock_release(&lock)
        worklist.notifyAll()
        if overflows, let error = outer?.overflow() { enter { [self] in end(error) } }
    }

    @usableFromInline
    override func outerEnded(_ error: (any Error)?, _ outer: InnerLifetime) {
        // If no source runs, the completion is sent before the outer source is disposed, as in RxSwift.
        if finished == made && error == nil { end(nil) } else { super.outerEnded(error, outer) }
    }

    // MARK: Places

    /// Passes the place of a source that has ended to the source that has waited longest.
    @usableFromInline
    @inline(never)
    func passPlaceOn() {
        if let next = vacate() { run(next) }
    }

    /// Counts a source that has ended, and dequeues the next one.
    private func vacate() -> Observable<Output>? {
        var worklist = PauseWorklist(turnOf: nil)
        crx_lock_acquire(&lock)
        let count = crx_flag_load_relaxed(&ended) + 1
        // Checked before the queue, which looks up the type of its elements. Read before `ended` changes: see the
        // guards.
        let mayWait = made != Int(count)
        crx_flag_store_release(&ended, count)
        var next: Observable<Output>?
        if mayWait && !waiting.isEmpty && isLive {
            next = waiting.removeFirst()
            outer?.counters?.left()
            outer?.settle(waiting.count, &worklist)
        }
        crx_lock_release(&lock)
        worklist.notifyAll()
        return next
    }

    /// Subscribes to a source that has a place. It loops, because this source and those that follow may end at once.
    private func run(_ source: Observable<Output>) {
        var next: Observable<Output>? = source
        while let source = next {
            guard begin(isPaused ? source.pausable : source) else { return }
            next = vacate()
        }
    }

    /// Subscribes to a source. Returns whether it has ended on this thread within that call.
    private func begin(_ source: Observable<Output>) -> Bool {
        if let element = Scalar.element(of: source) {
            send(scalar: element, number, of: nil)
            return true
        }
        let sink = NumberedInnerObserver<LimitedHandler<Output>>(self, number, subscriber: crx_thread_self())
        source.subscribe(successor: sink, sink.lifetime, in: innerChains)
        // The end of the source may still be queued at the gate.
        if sink.hasEndedHere && !sink.lifetime.isDisposed { innerChains.dispose(sink.lifetime) }
        return sink.hasEndedHere
    }

    // MARK: Events, by the gate's owner

    @inlinable
    @inline(__always)
    func handle(scalar element: Output, _: Int) {
        deliver(element)
        innerCompleted()
    }

    @inlinable
    @inline(__always)
    func mayNest(_ number: Int) -> Bool { number <= finished }
}

@usableFromInline
enum LimitedHandler<Output>: FlatteningHandler {
    @usableFromInline
    typealias Target = LimitedMergeCoordinator<Output>

    @inlinable
    @inline(__always)
    static func next(_ element: Output, _ coordinator: Target, _ source: InnerObserver<Self>) {
        coordinator.deliver(element)
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        source.coordinator.ended(error, source.lifetime)
    }

    @inlinable
    @inline(__always)
    static func mayNest(_ source: InnerObserver<Self>) -> Bool { source.coordinator.mayNest(number(of: source)) }

    @usableFromInline
    static func hasSentEnd(_ error: (any Error)?, _ source: InnerObserver<Self>, isSubscribing: Bool, waits: Bool) {
        if waits { source.coordinator.innerChains.dispose(source.lifetime) }
        guard error == nil else { return }
        let sink = unsafeDowncast(source, to: NumberedInnerObserver<Self>.self)
        if isSubscribing && sink.subscriber == crx_thread_self() {
            sink.hasEndedHere = true
        } else {
            source.coordinator.passPlaceOn()
        }
    }
}
