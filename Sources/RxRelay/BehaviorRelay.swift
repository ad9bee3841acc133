import RxSwift

/// A `BehaviorSubject` that never ends: it has a value, and accepts new values.
///
///     relay:    0-1-----2--
///     observer: ---(^1)-2--
///
/// ![The value first, then later elements](marble-behavior-relay)
///
/// Any thread may push into it and read from it. A new observer receives the value first, and then each later value.
///
/// While another thread is delivering, a value that was just accepted is not delivered yet. A new observer then
/// receives the previous value first, even if it subscribes on the thread that called ``accept(_:)``. So after a thread
/// has called ``accept(_:)``, `take(1)` and `withLatestFrom(relay)` on this thread may still receive an older value.
/// ``value`` never returns such an older value. If this matters, use `map { _ in relay.value }` instead of
/// `withLatestFrom(relay)`.
public final class BehaviorRelay<Element>: ObservableType, Sendable {
    @usableFromInline
    let subject: BehaviorSubject<Element>

    package var target: BehaviorSubject<Element> { subject }

    /// Creates a relay whose value is `value`.
    @inlinable
    public init(value: Element) {
        subject = BehaviorSubject(value: value)
    }

    /// The current value. After a call of ``accept(_:)``, the calling thread reads that value or a later one.
    public var value: Element {
        // A relay's subject neither ends nor is disposed of, so this cannot fail.
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
    /// The original RxSwift has no such function: `count.accept(count.value + 1)` loses one of two concurrent changes.
    ///
    /// `body` is called on the calling thread with a copy of the current value. The changed copy is accepted if the
    /// value has not changed since; otherwise `body` is called again with the new value. No lock is held while `body`
    /// runs, and no thread waits for it. So
    ///
    /// - `body` should be short, and do nothing except change the value: it may run more than once, although only one
    ///   of its changes is accepted;
    /// - `body` must not change this relay: such a change stops the process. `body` may read ``value``, and may change
    ///   other relays whose observers do not change this one;
    /// - `update` may be called anywhere else, also from an observer of this relay. The value is then delivered nested,
    ///   as with ``accept(_:)``, but after elements of other threads that are waiting already;
    /// - each call copies the value, so an array is copied when `body` changes it. Do not append often to a large
    ///   array.
    ///
    /// If `body` throws, the relay keeps its value and nothing is sent.
    ///
    /// - Parameter body: changes the value; its result is returned to the caller.
    /// - Returns: the result of the call of `body` whose change was accepted.
    @discardableResult
    public func update<Result, Failure: Error>(
        _ body: (inout Element) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // A relay's subject neither ends nor is disposed of, so the result is not nil.
        try subject.update(body)!
    }

    /// Subscribes `observer` to the current value and all later values.
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

    /// The relay's elements, as a sequence that cannot fail.
    public func asInfallible() -> Infallible<Element> {
        Infallible(subject.asObservable())
    }
}
