import RxSwift

/// A type that can be converted to a ``ControlEvent``.
public protocol ControlEventType: ObservableType {
    /// The value as a control event.
    func asControlEvent() -> ControlEvent<Element>
}

/// The events of a control, such as a widget, a key of the terminal or a POSIX signal.
///
/// A control event does not fail or replay, and completes when its control's lifetime ends. Each subscription listens
/// separately.
///
/// To make one from another source of events, use ``ControlTarget``.
public struct ControlEvent<PropertyType>: ControlEventType, Sendable {
    /// The type of the elements.
    public typealias Element = PropertyType

    let events: Observable<PropertyType>

    /// Creates a control event from `events`, which must obey this type's contract.
    ///
    /// - Parameter events: the subscription and its disposal run on the main queue, or on the scheduler of
    ///   ``SharingScheduler/use(_:)``. If `events` ends by itself, its teardown runs on the thread that sends the end.
    public init<Ev: ObservableType>(events: Ev) where Ev.Element == Element {
        self.init(unmoved: events.subscribe(on: SharingScheduler.ofControls))
    }

    /// Like `init(events:)`, but subscribes to `events` on the subscribing thread.
    init(unmoved events: Observable<Element>) {
        self.events = events
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        events.subscribe(observer)
    }

    public func asObservable() -> Observable<Element> { events }

    public func asControlEvent() -> ControlEvent<Element> { self }

    /// The control's events as an `Infallible`. An error of the source becomes a completion.
    public func asInfallible() -> Infallible<Element> {
        asInfallible(onErrorFallbackTo: .empty())
    }

    /// The control's events as a ``Driver``. An error of the source stops a debug build. In a release build, the driver
    /// completes.
    public func asDriver() -> Driver<Element> {
        asDriver { _ in
            rxFatalErrorInDebug("Somehow driver received error from a source that shouldn't fail.")
            return .empty()
        }
    }

    /// The control's events as a ``Signal``. An error of the source stops a debug build. In a release build, the signal
    /// completes.
    public func asSignal() -> Signal<Element> {
        asSignal { _ in
            rxFatalErrorInDebug("Somehow signal received error from a source that shouldn't fail.")
            return .empty()
        }
    }
}
