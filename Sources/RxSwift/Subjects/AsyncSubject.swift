/// Sends its last element to its observers when it completes. Observers that subscribe later also receive this element.
///
///     subject:  --1--2--3--|
///     observer: -----------(3|)
///
/// ![The last element, when the subject completes](marble-async-subject)
///
/// Any thread may push into the subject. If the subject fails, observers receive only the error. There is no
/// `dispose()`: when the subject is freed, it releases its observers.
// @unchecked Sendable because the core has its own guards.
public final class AsyncSubject<Element>: Observable<Element>, SubjectType, ObserverType, @unchecked Sendable {
    /// The type of ``asObserver()``.
    public typealias SubjectObserverType = AsyncSubject<Element>

    private let core: AsyncCore<Element>

    /// Creates a subject without an element.
    public init() {
        core = AsyncCore()
        super.init()
    }

    @usableFromInline
    override var subjectCore: Unretained<SubjectBase>? { Unretained(core) }

    deinit {
        SubjectBase.handleIsGone(.passUnretained(core))
    }

    /// Whether the subject has an observer.
    public var hasObservers: Bool { core.hasObservers }

    /// Stores an element in place of the previous one. On completion, sends the stored element, if any, and then
    /// completes. On an error, drops the stored element and sends the error.
    public func on(_ event: Event<Element>) {
        core.enter(event: event)
    }

    public override func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(forwardingTo: observer)
    }

    public func asObserver() -> AsyncSubject<Element> { self }
}

/// Guards: `last` is protected by the lock of the bag of observers.
private final class AsyncCore<Element>: SubjectCore<Element>, GateTarget {
    private var last: Element?

    func step(_ element: Element) {
        store { exchange(&last, with: element) }
    }

    override func snapshotLocked(hasEnded: Bool) -> Snapshot<Element> {
        guard hasEnded, let last else { return .none }
        return .one(last)
    }

    override func endLocked(_ error: (any Error)?) -> Element? {
        error == nil ? last : last.take()
    }
}
