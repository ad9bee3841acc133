import RxSwift

/// A source of events outside the library that becomes a ``ControlEvent`` or a ``ControlProperty``: a terminal, a
/// signal of the system, a widget of a toolkit.
///
/// The original RxSwift supports the controls of UIKit and AppKit. Here, an object that implements this protocol gets
/// `rx.controlEvent` and `rx.controlProperty(getter:setter:)`, the sequences of its events and values.
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
///   disposed of or the object's lifetime ends; the end of the lifetime also completes the subscription. Subscriptions
///   do not retain the object, so your code must. To listen once for many observers, `share()` the event.
/// - Threads: `listen`, and the disposal of its result, run on ``scheduler``. Events may be sent from any thread; if
///   two threads send at once, the observer is still called serially. Events that are sent after the disposal are
///   dropped.
public protocol ControlTarget: ReactiveCompatible, AnyObject {
    /// The payload of an event: a key, a number, or `Void` for none.
    associatedtype Payload

    /// The lifetime of the object. It ends when the object is released, or earlier if the object ends it.
    var lifetime: ControlLifetime { get }

    /// The scheduler on which `listen` is called, its result is disposed of, and properties are set. An example is the
    /// scheduler of a toolkit's thread.
    ///
    /// By default, all of this runs at once, on the thread that subscribes, sets or disposes.
    var scheduler: any ImmediateSchedulerType { get }

    /// Begins to listen: the object then calls `send` with each event.
    ///
    /// - Parameter send: takes an event, from any thread. `send` retains the observer, so release `send` when the
    ///   returned disposable is disposed of.
    /// - Returns: a disposable that ends the listening. It should not retain the object.
    func listen(_ send: @escaping @Sendable (Payload) -> Void) -> any Disposable
}

extension ControlTarget {
    /// Runs everything at once, on the calling thread.
    public var scheduler: any ImmediateSchedulerType { CallingThread() }
}

private struct CallingThread: ImmediateSchedulerType {
    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable) -> any Disposable {
        action(state)
    }
}

extension Reactive where Base: ControlTarget {
    /// Sends the object's events from the subscription on, and completes when the object's lifetime ends.
    public var controlEvent: ControlEvent<Base.Payload> {
        ControlEvent(unmoved: heard { target, observer in target.listen(observer.onNext) })
    }

    /// A property of the object. Sends its value at the subscription, and then after each event of the object;
    /// completes when the object's lifetime ends.
    ///
    /// Listening begins before the first value is read, so no change is missed. The value is read after the event. So
    /// if several changes follow each other quickly, the latest value may be sent more than once in place of an older
    /// value. The last value sent is always the current value.
    ///
    /// - Parameters:
    ///   - getter: reads the property, on the delivering thread.
    ///   - setter: sets the property, on the object's scheduler. The new value is sent only if the object sends an
    ///     event for it.
    @preconcurrency
    public func controlProperty<Value>(
        getter: @escaping @Sendable (Base) -> Value, setter: @escaping @Sendable (Base, Value) -> Void
    ) -> ControlProperty<Value> {
        let changes: Observable<Void> = heard { target, observer in
            let listening = target.listen { _ in observer.onNext(()) }
            observer.onNext(())
            return listening
        }
        // `changes` delivers one event at a time, so an older value cannot be sent after a newer one.
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
        // `take(until:)` is below `subscribe(on:)`, so when the lifetime ends, the subscription is disposed of on
        // `base.scheduler`.
        .take(until: base.lifetime.ended)
    }
}
