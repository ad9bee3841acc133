import RxSwift

/// A source of events outside the library, such as a terminal, a signal or a widget.
///
/// On an object that implements this protocol, `rx.controlEvent` is a ``ControlEvent``, and
/// `rx.controlProperty(getter:setter:)` returns a ``ControlProperty``.
///
///     final class Button: ControlTarget {
///         let lifetime = ControlLifetime()
///
///         func listen(_ send: @escaping @Sendable (Int) -> Void) -> any Disposable {
///             let handle = toolkit.connect("clicked", to: self) { send($0.clicks) }
///             return Disposables.create { toolkit.disconnect(handle) }
///         }
///     }
///
/// - Lifetime: each subscription calls `listen` once. The returned disposable is disposed of when the subscription is
///   disposed of or the lifetime ends. The end of the lifetime completes the subscription. Subscriptions do not retain
///   the object. To listen once for many observers, `share()` the event.
/// - Threads: `listen`, and the disposal of its result, run on ``scheduler``. Several threads may send at once; the
///   observer is called serially. Events after the disposal are dropped.
public protocol ControlTarget: ReactiveCompatible, AnyObject {
    /// The payload of an event: a key, a number, or `Void` for none.
    associatedtype Payload

    /// The lifetime of the object.
    var lifetime: ControlLifetime { get }

    /// The scheduler on which `listen` and property setters run, such as a scheduler of a toolkit's thread.
    ///
    /// The default is the calling thread.
    var scheduler: any ImmediateSchedulerType { get }

    /// Begins to listen: the object then calls `send` with each event.
    ///
    /// - Parameter send: takes an event, from any thread. `send` retains the observer, so release `send` when the
    ///   returned disposable is disposed of.
    /// - Returns: a disposable that ends the listening. It should not retain the object.
    func listen(_ send: @escaping @Sendable (Payload) -> Void) -> any Disposable
}

extension ControlTarget {
    public var scheduler: any ImmediateSchedulerType { CallingThread() }
}

private struct CallingThread: ImmediateSchedulerType {
    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable) -> any Disposable {
        action(state)
    }
}

extension Reactive where Base: ControlTarget {
    /// The object's events after the subscription. Completes when the object's lifetime ends.
    public var controlEvent: ControlEvent<Base.Payload> {
        ControlEvent(unmoved: heard { target, observer in target.listen(observer.onNext) })
    }

    /// A property of the object. Sends its value at the subscription and after each event of the object; completes when
    /// the object's lifetime ends.
    ///
    /// The property is read when an event is delivered. If it changes quickly, a new value may therefore be sent more
    /// than once, and an older value may be skipped. The last value sent is the current one.
    ///
    /// - Parameters:
    ///   - getter: reads the property, on the delivering thread.
    ///   - setter: sets the property, on the object's scheduler. Observers receive the value only if the object then
    ///     sends an event.
    @preconcurrency
    public func controlProperty<Value>(
        getter: @escaping @Sendable (Base) -> Value, setter: @escaping @Sendable (Base, Value) -> Void
    ) -> ControlProperty<Value> {
        let changes: Observable<Void> = heard { target, observer in
            let listening = target.listen { _ in observer.onNext(()) }
            observer.onNext(())
            return listening
        }
        // `changes` delivers serially, so an older value cannot follow a newer one.
        let values = changes.compactMapUnchecked { [weak base] in base.map(getter) }
        return ControlProperty(unmoved: values, Binder(base, scheduler: base.scheduler, binding: setter).asObserver())
    }

    /// Sends an element and completes when the object's lifetime ends.
    public var deallocated: Observable<Void> { base.lifetime.ended }

    private func heard<Element>(
        _ listen: @escaping (Base, AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        Observable.createUnchecked { [weak base] (observer: AnyObserver<Element>) -> any Disposable in
            guard let base, !base.lifetime.isOver else {
                observer.onCompleted()
                return Disposables.create()
            }
            return listen(base, observer)
        }
        .subscribe(on: base.scheduler)
        // `take` follows `subscribe(on:)`, so that the end of the lifetime disposes of the subscription on
        // `base.scheduler`.
        .take(until: base.lifetime.ended)
    }
}
