public import CRxCore

/// Broadcasts each event to its observers, and has a present value, which a new observer gets first.
///
///     subject:  0-1-----2--|
///     observer: ---(^1)-2--|
///
/// ![The latest element first, then what follows](marble-behavior-subject)
///
/// Any thread may push into it. Observers receive in order of subscription, one event at a time: on the pusher's
/// thread, or, where another thread is delivering, on that one. A new observer receives the value on the subscribing
/// thread, and then every event after it, none lost and none twice. One that subscribes after the end gets the terminal
/// event alone.
///
/// An event that is left to another thread is still to come until that thread delivers it: an observer that subscribes
/// meanwhile receives the value before it first, also on the thread that has pushed it. So `take(1)` and
/// `withLatestFrom` may be given an older value than their thread has pushed. ``value()`` never is older.
// @unchecked Sendable because its one property is a let, and the core has its own guards.
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
        super.init { base, assembly in
            unsafeDowncast(base, to: BehaviorSubject<Element>.self).core.attach(&assembly, handle: base)
            return nil
        }
    }

    @usableFromInline
    override var isTrampolined: Bool { false }

    @usableFromInline
    override var subjectCore: Unmanaged<SubjectBase>? { core.unlessWatched }

    deinit {
        SubjectBase.handleIsGone(.passUnretained(core))
    }

    /// Whether anybody is subscribed.
    public var hasObservers: Bool { core.hasObservers }

    /// Whether the subject has been disposed.
    public var isDisposed: Bool { core.isDisposed }

    /// The present value. A thread that has pushed reads its own value or a later one, also where another thread still
    /// delivers it.
    ///
    /// It never steps back. What was pushed while another thread delivered, and is overtaken by an end that the
    /// observer sends from inside that delivery, is not delivered any more, and yet is the last value. What is pushed
    /// once the end has been sent is not taken. An error that is left to another thread is thrown once that thread has
    /// begun to deliver it.
    ///
    /// - Throws: the error that ended the subject, or ``RxError/disposed(object:)``.
    public func value() throws -> Element {
        try core.value(of: self)
    }

    /// Sends `event` to the observers; an element becomes the present value.
    @inlinable
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): core.enter(element)
        case .error(let error): core.enterEnd(error)
        case .completed: core.enterEnd(nil)
        }
    }

    public override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(forwardingTo: observer)
    }

    /// Without an event around each element.
    public func _sink(_ disposer: AnyObject) -> AnyObject {
        ForwardSink(self, disposer) { base, element in
            let me = unsafeDowncast(base, to: ForwardSink<BehaviorSubject<Element>>.self)
            if me.isLive { Unmanaged.passUnretained(me.observer.core)._withUnsafeGuaranteedRef { $0.enter(element) } }
        }
    }

    /// The same for the end.
    public func _end(_ error: (any Swift.Error)?) {
        core.enterEnd(error)
    }

    /// The subject itself.
    public func asObserver() -> BehaviorSubject<Element> { self }

    /// Lets all observers and the value go without a terminal event; new observers get ``RxError/disposed(object:)``.
    public func dispose() {
        core.dispose()
    }
}

/// Guards: all properties, the bag's lock L. The value changes in the owner's step, under L, with the walk that tells
/// it.
@usableFromInline
final class BehaviorCore<Element>: SubjectCore<Element>, GateTarget {
    /// The value that the last step applied; nil once disposed.
    @usableFromInline
    @exclusivity(unchecked)
    var value: Element?

    /// What was pushed last while another thread delivered, and how many of those pushes no step has applied.
    @exclusivity(unchecked)
    private(set) var latest: Element?
    private var waiting = 0
    /// Whether a terminal event waits: what waits behind it is not shown.
    private var isEnding = false

    /// The updates whose closures run, the last one first.
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

    /// Makes `element` the value and tells it. Under L, which it releases.
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

    /// Leaves an event to the owner; an element is shown as the value meanwhile.
    @usableFromInline
    func enqueue(_ event: Event<Element>, _ me: UInt) {
        let input = waitingInput(event)
        crx_bag_lock(observers)
        if updates != nil { outdateUpdates_locked() }
        enqueue_locked(event, input, me)
    }

    func waitingInput(_ event: Event<Element>) -> UnsafeMutableRawPointer {
        QueuedInput(self, event, of: identity) { waiting, isDropped in
            let (core, event) = QueuedInput<BehaviorCore<Element>, Event<Element>>.take(waiting)
            if case .next(let element) = event {
                core.stepWaiting(element, isDropped)
            } else if !isDropped {
                core.handle(event)
            }
        }.boxed()
    }

    /// Leaves an event to the owner, who may be this thread. Under one hold of L, which it releases, so that events are
    /// shown in the order in which they wait.
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

    /// Shows what is going to wait, and hands out what it replaces.
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

    /// Handles, or drops, an element that waited: it ceases to be the latest and becomes the value under one hold of L.
    private func stepWaiting(_ element: Element, _ isDropped: Bool) {
        crx_bag_lock(observers)
        waiting -= 1
        let forgotten = waiting == 0 ? latest.take() : nil
        if isDropped || crx_bag_stop_locked(observers) != 0 { crx_bag_unlock(observers) } else { apply(element) }
        withExtendedLifetime(forgotten) {}
    }

    /// The end makes final what is shown. What that replaces is let go with the last of what waits.
    @usableFromInline
    override func finalElementLocked(_: (any Error)?) -> Element? {
        if latest != nil { swap(&latest, &value) }
        return nil
    }

    func value(of handle: AnyObject) throws -> Element {
        try locked {
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
