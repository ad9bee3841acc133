public import CRxCore

/// Broadcasts each event to its observers. Each new observer first receives the subject's present value.
///
///     subject:  0-1-----2--|
///     observer: ---(^1)-2--|
///
/// ![The latest element first, then what follows](marble-behavior-subject)
///
/// Threads and order are as for ``PublishSubject``. A new observer receives the value on the subscribing thread, then
/// every later event exactly once. An observer that subscribes after the end receives only the terminal event.
///
/// An event that is enqueued for another thread is pending until that thread delivers it. Until then, a new observer
/// first receives the old value, even if it subscribes on the thread that pushed. So `take(1)` and `withLatestFrom` may
/// receive an older value than the one that their own thread pushed last. ``value()`` never returns such a value.
// @unchecked Sendable because the core has its own guards.
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
    @unchecked Sendable
{
    /// The type of ``asObserver()``.
    public typealias SubjectObserverType = BehaviorSubject<Element>

    @usableFromInline
    let core: BehaviorCore<Element>

    /// Creates a subject whose present value is `value`.
    @inlinable
    public init(value: Element) {
        core = BehaviorCore(value)
        super.init { base, context in
            unsafeDowncast(base, to: BehaviorSubject<Element>.self).core.attach(&context, handle: base)
            return nil
        }
    }

    @usableFromInline
    override var isTrampolined: Bool { false }

    @usableFromInline
    override var subjectCore: Unretained<SubjectBase>? { core.unlessWatched }

    deinit {
        SubjectBase.handleIsGone(.passUnretained(core))
    }

    /// Whether the subject has an observer.
    public var hasObservers: Bool { core.hasObservers }

    package var readiness: SubjectReadiness { core.readiness }

    public var isDisposed: Bool { core.isDisposed }

    /// Returns the present value. After a push, the same thread reads the pushed value or a later one, even if that
    /// value has not been delivered yet.
    ///
    /// The value is never replaced by an older one. An element that is enqueued while another thread delivers becomes
    /// the present value at once. It remains the value even if an observer completes the subject from inside that
    /// delivery, so that the element is never delivered. An element that is pushed after the end is dropped. An
    /// enqueued error takes effect later: this function throws it only after the delivering thread has begun to deliver
    /// it.
    ///
    /// - Throws: the error that ended the subject, or ``RxError/disposed(object:)``.
    public func value() throws -> Element {
        try core.value(of: self)
    }

    /// Sends `event` to the observers. An element becomes the present value.
    @inlinable
    public func on(_ event: Event<Element>) {
        assert(isControlPoint("push"))
        core.enter(event: event)
    }

    public override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(forwardingTo: observer)
    }

    public func _sink(_ lifetime: AnyObject) -> AnyObject {
        ForwardSink(self, lifetime) { base, element in
            let me = unsafeDowncast(base, to: ForwardSink<BehaviorSubject<Element>>.self)
            if me.isLive { Unmanaged.passUnretained(me.observer.core)._withUnsafeGuaranteedRef { $0.enter(element) } }
        }
    }

    public func _end(_ error: (any Swift.Error)?) {
        core.enterEnd(error)
    }

    public func asObserver() -> BehaviorSubject<Element> { self }

    /// Releases all observers and the value without a terminal event. New observers receive
    /// ``RxError/disposed(object:)``.
    public func dispose() {
        core.dispose()
    }
}

/// Guards: all properties are protected by the lock of the bag of observers. The thread that owns the gate (see
/// ``GateTarget``) changes `value`. That thread holds the lock from the change until it has read the list of observers
/// to deliver to.
@usableFromInline
final class BehaviorCore<Element>: SubjectCore<Element>, GateTarget {
    /// The last value that was applied by the thread that owns the gate; nil after the disposal.
    @usableFromInline
    @exclusivity(unchecked)
    var value: Element?

    /// The last element that was enqueued for the thread that owns the gate; nil if no element is queued. `waiting` is
    /// the number of queued elements.
    @exclusivity(unchecked)
    private(set) var latest: Element?
    private var waiting = 0
    /// Whether a terminal event is queued. Elements queued after it do not become `latest`.
    private var isEnding = false

    /// The updates whose closures are running, the most recent first.
    @usableFromInline
    @exclusivity(unchecked)
    var updates: UnsafeMutablePointer<PendingUpdate>?

    @usableFromInline
    init(_ value: Element) {
        self.value = value
        super.init(owesSnapshot: true)
    }

    @inlinable
    func step(_ element: Element) {
        crx_bag_lock(observers)
        guard crx_bag_stop_locked(observers) == 0 else { return crx_bag_unlock(observers) }
        if updates != nil { outdateUpdates_locked() }
        apply(element)
    }

    /// Makes `element` the value and delivers it. The caller holds the bag's lock; this function releases it.
    @inlinable
    @inline(__always)
    func apply(_ element: Element) {
        let replaced = value
        value = element
        let walk = crx_bag_walk_locked(observers)
        crx_bag_unlock(observers)
        withExtendedLifetime(replaced) {}
        deliver(element, to: walk)
    }

    @usableFromInline
    func enqueue(_ event: Event<Element>, _ me: UInt) {
        let input = waitingInput(event)
        crx_bag_lock(observers)
        if updates != nil { outdateUpdates_locked() }
        enqueue_locked(event, input, me)
    }

    func waitingInput(_ event: Event<Element>) -> UnsafeMutableRawPointer {
        QueuedInput(self, event, from: self) { waiting, isDropped in
            let (core, event) = QueuedInput<BehaviorCore<Element>, Event<Element>>.take(waiting)
            if case .next(let element) = event {
                core.stepWaiting(element, isDropped)
            } else if !isDropped {
                core.handle(event)
            }
        }.boxed()
    }

    /// Enqueues an event and updates `latest`, both under the bag's lock, so that `latest` follows the order of the
    /// queue. The caller holds the lock; this function releases it. This thread may own the gate.
    func enqueue_locked(_ event: Event<Element>, _ input: UnsafeMutableRawPointer, _ me: UInt) {
        var dropped: UnsafeMutablePointer<crx_input>?
        let replaced = showLocked(event)
        let left = crx_gate_enqueue(gate, me, input.assumingMemoryBound(to: crx_input.self), &dropped)
        crx_bag_unlock(observers)
        withExtendedLifetime(replaced) {}
        afterEnqueuing(left, dropped, gate, me, self)
        if left == CRX_ENQUEUED, !crx_gate_is_owned_by_relaxed(gate, me), crx_gate_make_room(gate, me) {
            drain(gate, me, self)
        }
    }

    var isAnythingWaiting_locked: Bool { waiting > 0 }

    /// Updates `latest`, or `isEnding` for a terminal event, before the event is enqueued. Returns the old element,
    /// which the caller must release after unlocking.
    private func showLocked(_ event: Event<Element>) -> Element? {
        guard case .next(let element) = event else {
            isEnding = true
            return nil
        }
        waiting += 1
        if isEnding || crx_bag_stop_locked(observers) != 0 { return nil }
        let replaced = latest
        latest = element
        return replaced
    }

    /// Handles or drops a queued element. If it is the last queued element, clears `latest` and makes the element
    /// `value` before the bag's lock is released.
    private func stepWaiting(_ element: Element, _ isDropped: Bool) {
        crx_bag_lock(observers)
        waiting -= 1
        let forgotten = waiting == 0 ? latest.take() : nil
        if isDropped || crx_bag_stop_locked(observers) != 0 { crx_bag_unlock(observers) } else { apply(element) }
        withExtendedLifetime(forgotten) {}
    }

    /// If elements are queued, makes `latest` the final value. When the last queued element is handled, the old value
    /// is released after unlocking.
    @usableFromInline
    override func finalElementLocked(_: (any Error)?) -> Element? {
        if latest != nil { swap(&latest, &value) }
        return nil
    }

    func value(of handle: AnyObject) throws -> Element {
        assert(isControlPoint("value"))
        return try locked {
            if crx_bag_is_gone_locked(observers) { throw RxError.disposed(object: handle) }
            if let error = errorLocked { throw error }
            return crx_bag_stop_locked(observers) == 0 ? latest ?? value! : value!
        }
    }

    @usableFromInline
    override func snapshotLocked(hasEnded: Bool) -> Snapshot<Element> {
        hasEnded ? .none : .one(value!)
    }

    @usableFromInline
    override func forgetLocked() -> Any? {
        value.take()
    }

    @usableFromInline
    override func forgetFailedLocked() -> Any? {
        value.take()
    }
}
