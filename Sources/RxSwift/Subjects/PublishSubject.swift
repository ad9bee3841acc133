/// Broadcasts each event to the observers that are subscribed when the event is delivered.
///
///     subject:  --1--2--3--|
///     observer: ---^-2--3--|
///
/// ![What follows the subscription](marble-publish-subject)
///
/// Any thread may push into the subject. The pushing thread delivers the event to the observers, in the order of their
/// subscription. Only one thread delivers at a time: if another thread is already delivering, the event is enqueued for
/// that thread. An observer that subscribes after the end receives the terminal event.
///
/// An observer that subscribes while an event is enqueued receives this event, even if the observer subscribes on the
/// pushing thread after the push.
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
