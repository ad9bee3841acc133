import RxSwift

/// A `BehaviorSubject` that never ends: it has a value, and takes new ones.
///
///     relay:    0-1-----2--
///     observer: ---(^1)-2--
///
/// ![The value first, then what follows](marble-behavior-relay)
///
/// Any thread may push into it and read from it. A new observer receives the value first, and then every one after it.
///
/// Where another thread still delivers, a value that has just been accepted is still to come, and a new observer
/// receives the one before it first, also on the thread that has accepted it. So `take(1)` and `withLatestFrom(relay)`
/// may be given an older value than their thread has accepted. ``value`` never is older: where that matters,
/// `map { _ in relay.value }` takes the place of `withLatestFrom(relay)`.
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

    /// Changes the value by what `body` makes of it, as one step: no element that another thread accepts, and no other
    /// update, comes between and is lost.
    ///
    ///     let count = BehaviorRelay(value: 0)
    ///     count.update { $0 += 1 }                                   // from any number of threads
    ///     let id = count.update { count in count += 1; return count }
    ///
    /// RxSwift has no such function: `count.accept(count.value + 1)` loses one of two changes that meet.
    ///
    /// `body` is called on the calling thread with a copy of the present value, and what it leaves is accepted if the
    /// value is still the one that was copied. If not, `body` is called again with the new value. No lock is held while
    /// it runs, and nobody waits for it: were it called under one, or by whichever thread is delivering, it could
    /// deadlock with a lock of yours, or its result would not be there when `update` returns. So
    ///
    /// - `body` should be short, and do nothing but change the value: it may run more than once, though its result
    ///   counts only once;
    /// - it must not change this relay itself: that stops the process. It may read ``value``, and change other relays,
    ///   unless their observers change this one;
    /// - an update may be called anywhere else, also from an observer of this relay. It is then delivered nested, as
    ///   with ``accept(_:)``, or, where elements of other threads wait already, after those;
    /// - what is not copied on change is copied each time: a large array is better replaced seldom than appended to
    ///   often.
    ///
    /// If `body` throws, the relay keeps its value and nothing is sent.
    ///
    /// - Parameter body: changes the value; what it returns is for the caller.
    /// - Returns: what the call of `body` returned whose change was accepted.
    @discardableResult
    public func update<Result, Failure: Error>(
        _ body: (inout Element) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // A relay's subject neither ends nor is disposed.
        try subject.update(body)!
    }

    /// Subscribes `observer` to the present value and those to come.
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
