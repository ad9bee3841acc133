/// An observer that sets something of an object, on the main queue unless told otherwise.
///
/// It does not retain the object; once it is gone events are dropped. An error stops a debug build, and is printed in a
/// release build: there is nothing to bind it to.
// @unchecked Sendable because its one property is a let; what the closure touches is touched on the scheduler.
public struct Binder<Value>: ObserverType, @unchecked Sendable {
    /// The type of the elements: what is set.
    public typealias Element = Value

    private let handle: (Event<Value>) -> Void

    /// A binder of `target`.
    ///
    /// - Parameters:
    ///   - target: the object; not retained.
    ///   - scheduler: where `binding` is called.
    ///   - binding: sets an element, while the object lives.
    @preconcurrency
    public init<Target: AnyObject>(
        _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler(),
        binding: @escaping @Sendable (Target, Value) -> Void
    ) {
        let set = { [weak target] (element: Value) in
            if let target { binding(target, element) }
        }
        handle = { event in
            switch event {
            case .next(let element):
                nonisolated(unsafe) let set = set  // it captures a weak reference and a Sendable closure
                _ = scheduler.schedule(element) { element in
                    set(element)
                    return Disposables.create()
                }
            case .error(let error):
                rxFatalErrorInDebug("Binding error: \(error)")
            case .completed:
                break
            }
        }
    }

    /// Sets the element of `event`.
    public func on(_ event: Event<Value>) {
        handle(event)
    }

    /// This binder, type-erased.
    public func asObserver() -> AnyObserver<Value> {
        AnyObserver(eventHandler: on)
    }
}
