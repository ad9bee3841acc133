import RxSwift

/// A `ReplaySubject` that never ends: a new observer receives the last elements first.
///
///     relay of 2: --1--2--3--------4--
///     observer:   ---------(^23)---4--
///
/// ![The last two elements first, then what follows](marble-replay-relay)
///
/// Any thread may push into it. Observers receive in order of subscription, one element at a time. Where another thread
/// still delivers, an element that has just been accepted is still to come: an observer that subscribes meanwhile
/// receives it after the buffer, also on the thread that has accepted it.
public final class ReplayRelay<Element>: ObservableType, Sendable {
    @usableFromInline
    let subject: ReplaySubject<Element>

    @inlinable
    init(_ subject: ReplaySubject<Element>) {
        self.subject = subject
    }

    /// Creates a relay that replays at most `bufferSize` elements.
    ///
    /// - Parameter bufferSize: how many of the last elements are kept; it must not be negative.
    @inlinable
    public static func create(bufferSize: Int) -> ReplayRelay<Element> {
        ReplayRelay(ReplaySubject.create(bufferSize: bufferSize))
    }

    /// Creates a relay that replays every element it has ever received.
    @inlinable
    public static func createUnbound() -> ReplayRelay<Element> {
        ReplayRelay(ReplaySubject.createUnbounded())
    }

    /// Sends `event` to the observers and keeps it for those to come.
    @inlinable
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    /// Subscribes `observer` to the buffer and the elements to come.
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
