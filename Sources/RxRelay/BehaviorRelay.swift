import RxSwift

/// A ``BehaviorSubject`` that never ends: it has a value, and takes new ones.
///
/// Any thread may push into it and read from it. A new observer receives the value first, and then every one after it.
public final class BehaviorRelay<Element>: ObservableType, Sendable {
    @usableFromInline
    let subject: BehaviorSubject<Element>

    /// Creates a relay whose value is `value`.
    @inlinable
    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// The present value. A thread that has accepted one reads its own or a later one.
    public var value: Element {
        // A relay's subject neither ends nor is disposed.
        try! subject.value()
    }

    /// Makes `event` the value and sends it to the observers.
    @inlinable
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    /// Subscribes `observer` to the present value and those to come.
    @inlinable
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable where Observer.Element == Element {
        subject.subscribe(observer)
    }

    /// The relay's elements.
    @inlinable
    public func asObservable() -> Observable<Element> {
        subject.asObservable()
    }

    /// The relay's elements, which no error ends.
    public func asInfallible() -> Infallible<Element> {
        Infallible(subject.asObservable())
    }
}
