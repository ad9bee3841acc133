/// An observable that is also an observer.
public protocol SubjectType: ObservableType {
    /// The type of the observer that pushes into the subject.
    associatedtype Observer: ObserverType

    /// Returns the observer that pushes into this subject.
    func asObserver() -> Observer
}
