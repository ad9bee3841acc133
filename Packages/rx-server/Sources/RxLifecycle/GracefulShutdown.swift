public import RxSwift
internal import ServiceLifecycle

extension ObservableType where Element == Void {
    /// Sends one element and completes when the service that subscribes is asked to shut down gracefully.
    ///
    /// ```swift
    /// let beats = Observable<Int>.interval(.seconds(1), scheduler: scheduler)
    ///     .take(until: Observable.gracefulShutdown())
    /// ```
    ///
    /// The subscribing task must run in a service of a `ServiceGroup`. The element comes when the group shuts down that
    /// service. Outside such a task, for example on a scheduler's thread, the sequence never sends an element. A
    /// subscription after the shutdown sends the element at once.
    ///
    /// - **Threads**: the element is sent on a thread of Swift's pool, without a lock.
    /// - **Disposal**: ends the wait.
    public static func gracefulShutdown() -> Observable<Void> {
        .create { observer in
            try await ServiceLifecycle.gracefulShutdown()
            observer.onNext(())
        }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Completes when the service that subscribes is asked to shut down gracefully. Otherwise like
    /// ``RxSwift/ObservableType/gracefulShutdown()``.
    ///
    /// ```swift
    /// Completable.gracefulShutdown().andThen(registry.signOff())
    /// ```
    public static func gracefulShutdown() -> Completable {
        Observable<Void>.gracefulShutdown().ignoreElements().asCompletable()
    }
}
