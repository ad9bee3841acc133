/// What is an observer and an observable at once.
public protocol SubjectType: ObservableType {
    /// The type of the observer that feeds it.
    associatedtype Observer: ObserverType

    /// The observer that feeds this subject.
    func asObserver() -> Observer
}
