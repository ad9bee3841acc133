import RxSwift

/// A `PublishSubject` that never ends: it takes elements, and neither errors nor completion.
///
///     relay:    --1--2--3--
///     observer: ---^-2--3--
///
/// ![What follows the subscription](marble-publish-relay)
///
/// Any thread may push into it. Observers receive in order of subscription, one element at a time. Where another thread
/// still delivers, an element that has just been accepted is still to come: an observer that subscribes meanwhile
/// receives it, also on the thread that has accepted it.
public final class PublishRelay<Element>: ObservableType, Sendable {
    @usableFromInline
    let subject: PublishSubject<Element>

    /// Creates a relay without observers.
    @inlinable
    public init() {
        subject = PublishSubject()
    }

    /// Sends `event` to the observers.
    @inlinable
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    /// Subscribes `observer` to the elements to come.
    @inlinable
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
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
