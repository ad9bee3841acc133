/// Broadcasts each event to its observers. Each new observer first receives the subject's current value.
///
///     subject:  0-1-----2--|
///     observer: ---(^1)-2--|
///
/// ![The latest element first, then what follows](marble-behavior-subject)
///
/// Threads and order are as for ``PublishSubject``. A new observer receives the value on the subscribing thread, then
/// every later event exactly once. An observer that subscribes after the end receives only the terminal event.
///
/// While an element is enqueued for another thread, a new observer first receives an older value, even on the thread
/// that pushed the element. So after a push, `take(1)` and `withLatestFrom` may receive an older value. ``value()``
/// returns the pushed value or a later one.
// @unchecked Sendable because the core has its own guards.
public final class BehaviorSubject<Element>: Observable<Element>, SubjectType, ObserverType, Cancelable,
    @unchecked Sendable
{
    /// The type of ``asObserver()``.
    public typealias SubjectObserverType = BehaviorSubject<Element>

    @usableFromInline
    let core: BehaviorCore<Element>

    /// Creates a subject whose current value is `value`.
    @inlinable
    public init(value: Element) {
        core = BehaviorCore(value)
        super.init()
    }

    @usableFromInline
    override var subjectCore: Unretained<SubjectBase>? { Unretained(core) }

    deinit {
        SubjectBase.handleIsGone(.passUnretained(core))
    }

    /// Whether the subject has an observer.
    public var hasObservers: Bool { core.hasObservers }

    package var readiness: SubjectReadiness { core.readiness }

    public var isDisposed: Bool { core.isDisposed }

    /// Returns the current value. After a push, the same thread reads the pushed value or a later one.
    ///
    /// An element that is enqueued for another thread becomes the current value at once. An enqueued error is thrown
    /// only after its delivery has begun. Elements pushed after the end are dropped.
    ///
    /// - Throws: the error that ended the subject, or ``RxError/disposed(object:)``.
    public func value() throws -> Element {
        try core.value(of: self)
    }

    /// Sends `event` to the observers. An element becomes the current value.
    @inlinable
    public func on(_ event: Event<Element>) {
        core.enter(event: event)
    }

    public override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(forwardingTo: observer)
    }

    public func _next(_ element: Element) {
        core.enter(element)
    }

    public func asObserver() -> BehaviorSubject<Element> { self }

    /// Releases all observers and the value without a terminal event. New observers receive
    /// ``RxError/disposed(object:)``.
    public func dispose() {
        core.dispose { core.value.take() }
    }
}

/// Guards: all properties are protected by the lock of the bag of observers. To deliver an element, the thread that
/// owns the gate (see ``GateTarget``) changes `value` and reads the list of observers in one critical section.
@usableFromInline
final class BehaviorCore<Element>: ReplayingCore<Element>, GateTarget {
    /// The initial value, then the last element that was handled. Nil after a failure or the disposal.
    @usableFromInline
    @exclusivity(unchecked)
    var value: Element?

    /// The last element in the gate's queue, and the number of elements there. Elements behind a terminal event are not
    /// counted.
    @exclusivity(unchecked)
    var queued: Element?
    var queuedCount = 0
    /// Whether a terminal event has been enqueued.
    var isEnding = false

    @usableFromInline
    @exclusivity(unchecked)
    var updates = PendingUpdates()

    @usableFromInline
    init(_ value: Element) {
        self.value = value
        super.init()
    }

    /// The last element pushed before the end, or the initial value. Must not be read after a failure or a disposal:
    /// there is no value then.
    var presentValueLocked: Element { queued ?? value! }

    /// Whether later elements are dropped.
    var isOverLocked: Bool { isEnding || hasEndedLocked }

    func value(of handle: AnyObject) throws -> Element {
        try read(of: handle) { presentValueLocked }
    }

    @inlinable
    func step(_ element: Element) {
        deliver(element) {
            if !updates.isEmpty { updates.outdate() }
            return exchange(&value, with: element)
        }
    }

    @usableFromInline
    override func snapshotLocked(hasEnded: Bool) -> Snapshot<Element> {
        hasEnded ? .none : .one(value!)
    }

    @usableFromInline
    override func endLocked(_ error: (any Error)?) -> Element? {
        error == nil ? nil : value.take()
    }
}
