/// A type that can be converted to an ``Observable``: observables, subjects, relays, traits.
public protocol ObservableConvertibleType {
    /// The type of the elements.
    associatedtype Element

    /// The value as a plain observable.
    func asObservable() -> Observable<Element>
}
