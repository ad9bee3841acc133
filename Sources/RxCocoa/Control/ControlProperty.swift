import RxSwift

/// What can be turned into a ``ControlProperty``.
public protocol ControlPropertyType: ObservableType, ObserverType {
    /// The value as a control property.
    func asControlProperty() -> ControlProperty<Element>
}

/// A property of a control that can be observed and set: the text of a field, the position of a slider.
///
/// As an observable it tells the present value first and then each that the control itself comes to, not those that are
/// set here; it does not fail, and completes when its control is gone. As an observer it sets the property; an error
/// stops a debug build.
///
/// A property of your own is made by ``ControlTarget``. One that is made of an observable is subscribed to on the main
/// queue, as in RxSwift, or on the scheduler that ``SharingScheduler/use(_:)`` was given.
public struct ControlProperty<PropertyType>: ControlPropertyType, Sendable {
    /// The type of the values.
    public typealias Element = PropertyType

    let values: Observable<PropertyType>
    let valueSink: AnyObserver<PropertyType>

    /// A control property of its values and of what sets it.
    ///
    /// - Parameters:
    ///   - values: has to keep what this type promises; subscribed to, and disposed of, on the main queue or the chosen
    ///     scheduler; what ends by itself is torn down where it ends.
    ///   - valueSink: sets the property, wherever it is called.
    public init<Values: ObservableType, Sink: ObserverType>(
        values: Values, valueSink: Sink
    ) where Element == Values.Element, Element == Sink.Element {
        self.init(unmoved: values.subscribe(on: SharingScheduler.ofControls), valueSink.asObserver())
    }

    /// Subscribes to `values` wherever it is subscribed to itself.
    init(unmoved values: Observable<Element>, _ valueSink: AnyObserver<Element>) {
        self.values = values
        self.valueSink = valueSink
    }

    /// Subscribes `observer` to the property's values.
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        values.subscribe(observer)
    }

    /// Sets the property to the element of `event`.
    public func on(_ event: Event<Element>) {
        switch event {
        case .error(let error): rxFatalErrorInDebug("Binding error: \(error)")
        case .next, .completed: valueSink.on(event)
        }
    }

    /// The values after the present one.
    public var changed: ControlEvent<PropertyType> {
        ControlEvent(unmoved: values.skip(1))
    }

    /// The property's values as a plain observable.
    public func asObservable() -> Observable<Element> { values }

    /// The property itself.
    public func asControlProperty() -> ControlProperty<Element> { self }

    /// The property's values as a ``Driver``. An error that comes in spite of the promise stops a debug build, and is
    /// completion in a release build.
    public func asDriver() -> Driver<Element> {
        asDriver { _ in
            rxFatalErrorInDebug("Somehow driver received error from a source that shouldn't fail.")
            return .empty()
        }
    }
}

extension ControlPropertyType where Element == String? {
    /// The property with an empty string where there is none.
    public var orEmpty: ControlProperty<String> {
        let property = asControlProperty()
        return ControlProperty(unmoved: property.values.map { $0 ?? "" }, property.valueSink.mapObserver { $0 })
    }
}
