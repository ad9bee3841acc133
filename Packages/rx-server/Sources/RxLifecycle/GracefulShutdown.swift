public import RxSwift
internal import ServiceLifecycle

extension ObservableType where Element == Void {
    /// One element when the service that subscribes is asked to shut down gracefully, and completion.
    ///
    /// ```swift
    /// let beats = Observable<Int>.interval(.seconds(1), scheduler: scheduler)
    ///     .take(until: Observable.gracefulShutdown())
    /// ```
    ///
    /// The shutdown is that of the task that subscribes: one within a `ServiceGroup`. Subscribed to elsewhere, as by a
    /// scheduler's thread, it never sends anything; subscribed to after the shutdown, it does so at once. The element
    /// comes on a thread of Swift's pool, with no lock held. Disposing of it ends the wait.
    public static func gracefulShutdown() -> Observable<Void> {
        .create { observer in
            try await ServiceLifecycle.gracefulShutdown()
            observer.onNext(())
        }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Completes when the service that subscribes is asked to shut down gracefully.
    ///
    /// ```swift
    /// Completable.gracefulShutdown().andThen(registry.signOff())
    /// ```
    ///
    /// As ``RxSwift/ObservableType/gracefulShutdown()``.
    public static func gracefulShutdown() -> Completable {
        Observable<Void>.gracefulShutdown().ignoreElements().asCompletable()
    }
}
