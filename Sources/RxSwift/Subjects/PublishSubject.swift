/// Broadcasts each event to the observers that are subscribed when the event is delivered.
///
///     subject:  --1--2--3--|
///     observer: ---^-2--3--|
///
/// ![What follows the subscription](marble-publish-subject)
///
/// Any thread may push into the subject. Observers receive events in the order of their subscription, one event at a
/// time, on the pushing thread. If another thread is delivering, that thread also delivers this event. An observer that
/// subscribes after the end receives the terminal event.
///
/// An event that is enqueued for another thread is pending until that thread delivers it. An observer that subscribes
/// before the delivery receives the event, even on the thread that pushed.
// @unchecked Sendable because the core has its own guards.
public final class PublishSubject<Element>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    /// The type of ``asObserver()``.
    public typealias SubjectObserverType = PublishSubject<Element>

    @usableFromInline
    let core: PublishCore<Element>

    /// Creates a subject without observers.
    @inlinable
    public init() {
        core = PublishCore()
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

    /// Sends `event` to the observers.
    @inlinable
    public func on(_ event: Event<Element>) {
        assert(isControlPoint("push"))
        switch event {
        case .next(let element): core.enter(element)
        case .error(let error): core.enterEndOrNote(error)
        case .completed: core.enterEndOrNote(nil)
        }
    }

    public override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(forwardingTo: observer)
    }

    public func _next(_ element: Element) {
        core.enter(element)
    }

    public func _end(_ error: (any Swift.Error)?) {
        core.enterEndOrNote(error)
    }

    public func asObserver() -> PublishSubject<Element> { self }

    /// Releases all observers without a terminal event. New observers receive ``RxError/disposed(object:)``.
    public func dispose() {
        core.dispose()
    }
}
