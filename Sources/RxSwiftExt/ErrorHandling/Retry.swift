import RxSwift

extension ObservableType {
    /// Subscribes again when this sequence fails.
    ///
    ///     source:                                  --1--#  --1--#  --1--#   3 columns are 3 seconds
    ///     retry(.delayed(maxCount: 3, time: 3.0)): --1-------1-------1--#
    ///
    /// ![The source once more after each error and a pause](marble-retry-behavior)
    ///
    ///     request.retry(.delayed(maxCount: 3, time: 1.0), scheduler: background, shouldRetry: { $0 is Timeout })
    ///
    /// The result fails with the last error. The failed subscription is disposed of before the pause. Disposing of the
    /// result ends a pause at once.
    ///
    /// - Parameters:
    ///   - behavior: the number of subscriptions and the pauses.
    ///   - scheduler: ends the pauses, and subscribes again. `MainScheduler` needs a running main queue; in a server,
    ///     pass another scheduler.
    ///   - shouldRetry: called with each error except the last, on the delivering thread. If it returns `false`, the
    ///     result fails with the error.
    @preconcurrency
    public func retry(
        _ behavior: RepeatBehavior, scheduler: any SchedulerType = MainScheduler.instance,
        shouldRetry: RetryPredicate? = nil
    ) -> Observable<Element> {
        retry(scheduler: scheduler) {
            // Errors arrive one at a time, so this variable needs no lock.
            var count: UInt = 0
            return { error in
                count += 1
                guard behavior.maxCount > count, shouldRetry?(error) ?? true else { throw error }
                return behavior.pause(after: count)
            }
        }
    }

    /// Subscribes again after each error. For each subscription to the result, `plan` returns a closure. The closure
    /// returns the pause after an error, or nil for no pause. If the closure throws, the result fails.
    func retry(
        scheduler: any SchedulerType, planned plan: @escaping @Sendable () -> (any Error) throws -> RxTimeInterval?
    ) -> Observable<Element> {
        nonisolated(unsafe) let scheduler = scheduler  // any thread may use a scheduler
        return retry(when: { (errors: Observable<any Error>) in
            nonisolated(unsafe) let pause = plan()  // the errors come one at a time
            return errors.flatMap { error in
                guard let pause = try pause(error) else { return Observable.just(()) }
                return Observable.just(()).delaySubscription(pause, scheduler: scheduler)
            }
        })
    }
}
