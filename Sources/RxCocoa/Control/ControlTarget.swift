import RxSwift

/// A source of events outside the library that becomes a ``ControlEvent`` or a ``ControlProperty``: a terminal, a
/// signal of the system, a widget of a toolkit.
///
/// RxSwift knows the controls of UIKit and AppKit; here an object says with this protocol how it is listened to. The
/// rest is `rx.controlEvent` and `rx.controlProperty(getter:setter:)`.
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
/// - Lifetime: each subscription calls `listen` once, and disposes of what that returned when the subscription is
///   disposed of or the object's lifetime ends; the latter completes it. Subscriptions do not retain the object, so
///   somebody has to. To listen once for many observers, `share()` the event.
/// - Threads: `listen`, and the disposal of what it returns, run on ``scheduler``. Events may be sent from any thread;
///   two threads that send at once do not call the observer at once. What is sent after the disposal goes nowhere.
public protocol ControlTarget: ReactiveCompatible, AnyObject {
    /// What comes with an event: a key, a number, `Void` for nothing.
    associatedtype Payload

    /// Ends when the object is released, or earlier if the object ends it.
    var lifetime: ControlLifetime { get }

    /// Where the object is listened to, set, and no longer listened to: the scheduler of a toolkit's thread, for
    /// instance.
    ///
    /// By default at once, on the thread that subscribes, sets or disposes.
    var scheduler: any ImmediateSchedulerType { get }

    /// Begins to listen: from now on `send` is called with each event.
    ///
    /// - Parameter send: takes an event, from any thread. It retains what listens, so it has to be let go with the
    ///   returned disposable.
    /// - Returns: what ends the listening. It should not retain the object.
    func listen(_ send: @escaping @Sendable (Payload) -> Void) -> any Disposable
}

extension ControlTarget {
    /// At once, on the calling thread.
    public var scheduler: any ImmediateSchedulerType { CallingThread() }
}

/// Runs what is scheduled at once.
private struct CallingThread: ImmediateSchedulerType {
    func schedule<StateType>(_ state: StateType, action: @escaping (StateType) -> any Disposable) -> any Disposable {
        action(state)
    }
}

extension Reactive where Base: ControlTarget {
    /// What the object sends, from the subscription on; completes when the object is gone.
    public var controlEvent: ControlEvent<Base.Payload> {
        ControlEvent(unmoved: heard { target, observer in target.listen(observer.onNext) })
    }

    /// A property of the object: its value at the subscription, and then after each event that the object sends;
    /// completes when the object is gone.
    ///
    /// No change is missed between the first value and the listening: that begins first. Where several changes come at
    /// once, one value may stand for them, and the last value is always the present one.
    ///
    /// - Parameters:
    ///   - getter: reads the property, on the thread that delivers the event.
    ///   - setter: sets it, on the object's scheduler. What it sets is not told, unless the object sends an event for
    ///     it.
    @preconcurrency
    public func controlProperty<Value>(
        getter: @escaping @Sendable (Base) -> Value, setter: @escaping @Sendable (Base, Value) -> Void
    ) -> ControlProperty<Value> {
        let changes: Observable<Void> = heard { target, observer in
            let listening = target.listen { _ in observer.onNext(()) }
            observer.onNext(())
            return listening
        }
        // Read below the gate of `changes`, so that an older value cannot come after a newer one.
        let values = changes.compactMap(unchecked { [weak base] (_: Void) -> Value? in base.map(getter) })
        return ControlProperty(unmoved: values, Binder(base, scheduler: base.scheduler, binding: setter).asObserver())
    }

    /// Sends an element and completes when the object is gone.
    public var deallocated: Observable<Void> { base.lifetime.ended }

    private func heard<Element>(
        _ listen: @escaping (Base, AnyObserver<Element>) -> any Disposable
    ) -> Observable<Element> {
        Observable.create(
            unchecked { [weak base] (observer: AnyObserver<Element>) -> any Disposable in
                guard let base, !base.lifetime.isOver else {
                    observer.onCompleted()
                    return Disposables.create()
                }
                return listen(base, observer)
            }
        )
        .subscribe(on: base.scheduler)
        // Below the hop, which is then disposed of, and ends the listening on the scheduler.
        .take(until: base.lifetime.ended)
    }
}
