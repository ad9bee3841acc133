import RxSwift

/// A `PublishSubject` that never ends: it accepts elements, but no error and no completion.
///
///     relay:    --1--2--3--
///     observer: ---^-2--3--
///
/// ![The elements after the subscription](marble-publish-relay)
///
/// Any thread may push into it. Observers receive elements in order of subscription, one at a time. While another
/// thread is delivering, an accepted element waits. An observer that subscribes during this wait receives the element,
/// even if it subscribes on the thread that called ``accept(_:)``.
public final class PublishRelay<Element>: ObservableType, Sendable {
    @usableFromInline
    let subject: PublishSubject<Element>

    package var target: PublishSubject<Element> { subject }

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

    @inlinable
    public func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subject.subscribe(observer)
    }

    @inlinable
    public func asObservable() -> Observable<Element> {
        subject.asObservable()
    }

    /// The relay's elements, as a sequence that cannot fail.
    public func asInfallible() -> Infallible<Element> {
        Infallible(subject.asObservable())
    }
}
