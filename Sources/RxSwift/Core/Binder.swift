/// An observer that assigns each element to a target object, on the main queue by default.
///
/// The target is not retained. After it has been freed, elements are dropped. An error stops the process in a debug
/// build, and is printed in a release build.
// @unchecked Sendable because the only property is a `let`, and its closure uses the target only on the scheduler.
public struct Binder<Value>: ObserverType, @unchecked Sendable {
    /// The type of the elements.
    public typealias Element = Value

    private let handle: (Event<Value>) -> Void

    /// Makes a binder for `target`. `binding` is called on `scheduler` with the target and each element.
    @preconcurrency
    public init<Target: AnyObject>(
        _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler(),
        binding: @escaping @Sendable (Target, Value) -> Void
    ) {
        let target = WeakReference(target)
        handle = { event in
            switch event {
            case .next(let element):
                _ = scheduler.schedule(element) { element in
                    if let target = target.object { binding(target, element) }
                    return Disposables.create()
                }
            case .error(let error):
                rxFatalErrorInDebug("Binding error: \(error)")
            case .completed:
                break
            }
        }
    }

    public func on(_ event: Event<Value>) {
        handle(event)
    }

    /// Returns this binder as a type-erased observer.
    public func asObserver() -> AnyObserver<Value> {
        AnyObserver(eventHandler: on)
    }
}
