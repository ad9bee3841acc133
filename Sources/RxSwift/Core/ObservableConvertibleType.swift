/// A type that can be converted to an ``Observable``: observables, subjects, relays, traits.
public protocol ObservableConvertibleType {
    /// The type of the elements.
    associatedtype Element

    /// This value as an observable.
    func asObservable() -> Observable<Element>
}
