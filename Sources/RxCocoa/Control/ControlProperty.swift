import RxSwift

/// A type that can be converted to a ``ControlProperty``.
public protocol ControlPropertyType: ObservableType, ObserverType {
    /// The value as a control property.
    func asControlProperty() -> ControlProperty<Element>
}

/// A property of a control that can be observed and set: the text of a field, the position of a slider.
///
/// As an observable, it sends the current value, and then each value that the control itself sets. It does not send
/// values that are set through this property. It does not fail, and completes when its control's lifetime ends. As an
/// observer, it sets the property; an error stops a debug build.
///
/// To make a property of another object, use ``ControlTarget``.
public struct ControlProperty<PropertyType>: ControlPropertyType, Sendable {
    /// The type of the values.
    public typealias Element = PropertyType

    let values: Observable<PropertyType>
    let valueSink: AnyObserver<PropertyType>

    /// Creates a control property from the property's values and an observer that sets the property.
    ///
    /// - Parameters:
    ///   - values: must obey this type's contract. For threads, see ``ControlEvent/init(events:)``.
    ///   - valueSink: sets the property, on the calling thread.
    public init<Values: ObservableType, Sink: ObserverType>(
        values: Values, valueSink: Sink
    ) where Element == Values.Element, Element == Sink.Element {
        self.init(unmoved: values.subscribe(on: SharingScheduler.ofControls), valueSink.asObserver())
    }

    /// Like `init(values:valueSink:)`, but subscribes to `values` on the subscribing thread.
    init(unmoved values: Observable<Element>, _ valueSink: AnyObserver<Element>) {
        self.values = values
        self.valueSink = valueSink
    }

    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        values.subscribe(observer)
    }

    public func on(_ event: Event<Element>) {
        switch event {
        case .error(let error): rxFatalErrorInDebug("Binding error: \(error)")
        case .next, .completed: valueSink.on(event)
        }
    }

    /// The values after the current one.
    public var changed: ControlEvent<PropertyType> {
        ControlEvent(unmoved: values.skip(1))
    }

    public func asObservable() -> Observable<Element> { values }

    public func asControlProperty() -> ControlProperty<Element> { self }

    /// The property's values as a ``Driver``. An error of the source stops a debug build. In a release build, the
    /// driver completes.
    public func asDriver() -> Driver<Element> {
        asDriver { _ in
            rxFatalErrorInDebug("Somehow driver received error from a source that shouldn't fail.")
            return .empty()
        }
    }
}

extension ControlPropertyType where Element == String? {
    /// The property with an empty string in place of nil.
    public var orEmpty: ControlProperty<String> {
        let property = asControlProperty()
        return ControlProperty(unmoved: property.values.map { $0 ?? "" }, property.valueSink.mapObserver { $0 })
    }
}
