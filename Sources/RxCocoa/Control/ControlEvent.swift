import RxSwift

/// What can be turned into a ``ControlEvent``.
public protocol ControlEventType: ObservableType {
    /// The value as a control event.
    func asControlEvent() -> ControlEvent<Element>
}

/// The events of a control: of a widget, a key of the terminal, a signal of the system.
///
/// It does not fail, tells a new observer nothing of the past, and completes when its control is gone. Each
/// subscription listens to the control for itself.
///
/// A source of your own becomes one by way of ``ControlTarget``; it then says itself where it is listened to. One that
/// is made of an observable is subscribed to on the main queue, as in RxSwift, or on the scheduler that
/// ``SharingScheduler/use(_:)`` was given.
public struct ControlEvent<PropertyType>: ControlEventType, Sendable {
    /// The type of the elements.
    public typealias Element = PropertyType

    let events: Observable<PropertyType>

    /// A control event of `events`, which has to keep what this type promises: not to fail, among others.
    ///
    /// - Parameter events: subscribed to, and disposed of, on the main queue or the chosen scheduler; what ends by
    ///   itself is torn down where it ends.
    public init<Ev: ObservableType>(events: Ev) where Ev.Element == Element {
        self.init(unmoved: events.subscribe(on: SharingScheduler.ofControls))
    }

    /// Subscribes to `events` wherever it is subscribed to itself.
    init(unmoved events: Observable<Element>) {
        self.events = events
    }

    /// Subscribes `observer` to the control's events.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        events.subscribe(observer)
    }

    /// The control's events as a plain observable.
    public func asObservable() -> Observable<Element> { events }

    /// The event itself.
    public func asControlEvent() -> ControlEvent<Element> { self }

    /// The control's events as an `Infallible`; an error that comes in spite of the promise becomes completion.
    public func asInfallible() -> Infallible<Element> {
        asInfallible(onErrorFallbackTo: .empty())
    }

    /// The control's events as a ``Driver``. An error that comes in spite of the promise stops a debug build, and is
    /// completion in a release build.
    public func asDriver() -> Driver<Element> {
        asDriver { _ in
            rxFatalErrorInDebug("Somehow driver received error from a source that shouldn't fail.")
            return .empty()
        }
    }

    /// The control's events as a ``Signal``. An error that comes in spite of the promise stops a debug build, and is
    /// completion in a release build.
    public func asSignal() -> Signal<Element> {
        asSignal { _ in
            rxFatalErrorInDebug("Somehow signal received error from a source that shouldn't fail.")
            return .empty()
        }
    }
}
