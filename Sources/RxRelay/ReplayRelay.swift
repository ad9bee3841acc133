import RxSwift

/// A `ReplaySubject` that never ends: a new observer receives the last elements first.
///
///     relay of 2: --1--2--3--------4--
///     observer:   ---------(^23)---4--
///
/// ![The last two elements first, then later elements](marble-replay-relay)
///
/// Any thread may push into it. Observers receive elements in order of subscription, one at a time. An observer that
/// subscribes before the delivery of an accepted element receives it after the buffer; see ``PublishRelay``.
public final class ReplayRelay<Element>: ObservableType, Sendable {
    @usableFromInline
    let subject: ReplaySubject<Element>

    package var target: ReplaySubject<Element> { subject }

    @inlinable
    init(_ subject: ReplaySubject<Element>) {
        self.subject = subject
    }

    /// Creates a relay that replays at most `bufferSize` elements.
    ///
    /// - Parameter bufferSize: must not be negative.
    @inlinable
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(ReplaySubject.create(bufferSize: bufferSize))
    }

    /// Creates a relay that replays every element it has ever received.
    @inlinable
    public static func createUnbound() -> ReplayRelay<Element> {
        ReplayRelay(ReplaySubject.createUnbounded())
    }

    /// Sends `event` to the observers and stores it for later observers.
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
