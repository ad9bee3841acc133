import RxSwift

/// A `BehaviorSubject` that never ends: it has a value, and accepts new values.
///
///     relay:    0-1-----2--
///     observer: ---(^1)-2--
///
/// ![The value first, then later elements](marble-behavior-relay)
///
/// Any thread may use it. A new observer receives the value first, and then each later value.
///
/// While another thread is delivering, an accepted value waits. A new observer then receives the previous value first,
/// even on the thread that called ``accept(_:)``. So after ``accept(_:)``, `take(1)` and `withLatestFrom(relay)` on the
/// same thread may still receive an older value. ``value`` is always current: use `map { _ in relay.value }`.
public final class BehaviorRelay<Element>: ObservableType, Sendable {
    @usableFromInline
    let subject: BehaviorSubject<Element>

    package var target: BehaviorSubject<Element> { subject }

    /// Creates a relay whose value is `value`.
    @inlinable
    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// The current value. After ``accept(_:)``, the calling thread reads the accepted value or a later one.
    public var value: Element {
        // A relay's subject neither ends nor is disposed of.
        try! subject.value()
    }

    /// Makes `event` the value and sends it to the observers.
    @inlinable
    public func accept(_ event: Element) {
        subject.onNext(event)
    }

    /// Changes the value with `body`, in one step, so that no concurrent change is lost.
    ///
    ///     let count = BehaviorRelay(value: 0)
    ///     count.update { $0 += 1 }                                   // from any number of threads
    ///     let id = count.update { count in count += 1; return count }
    ///
    /// RxSwift has no such function: `count.accept(count.value + 1)` loses one of two concurrent changes.
    ///
    /// `body` is called on the calling thread, without a lock, with a copy of the current value. The changed copy is
    /// accepted if the value has not changed since; otherwise `body` is called again with the new value. Therefore:
    ///
    /// - `body` should be short, and only change the value, because it may run more than once;
    /// - `body` must not change this relay, directly or through observers of another relay: such a change stops the
    ///   process;
    /// - `update` may be called by an observer of this relay. The value is then delivered in a nested call, as with
    ///   ``accept(_:)``. If values of other threads already wait, the value is delivered after them instead, when
    ///   `update` has returned;
    /// - each call copies the value. Do not append often to a large array.
    ///
    /// If `body` throws, the relay keeps its value and nothing is sent.
    ///
    /// - Parameter body: changes the value.
    /// - Returns: the result of the call of `body` whose change was accepted.
    @discardableResult
    public func update<Result, Failure: Error>(
        _ body: (inout Element) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // A relay's subject neither ends nor is disposed of.
        try subject.update(body)!
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
