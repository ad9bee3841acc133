import RxSwift

extension ObservableType {
    /// Subscribes again when this sequence completes.
    ///
    ///     source:                                               --1--|  --1--|   3 columns are 3 seconds
    ///     repeatWithBehavior(.delayed(maxCount: 2, time: 3.0)): --1-------1--|
    ///
    /// ![The source once more after a pause](marble-repeat-with-behavior)
    ///
    /// An error is passed on. The completed sequence is disposed of before the pause. Disposing of the result ends a
    /// pause at once.
    ///
    /// - Parameters:
    ///   - behavior: the number of subscriptions and the pauses.
    ///   - scheduler: ends the pauses, and subscribes again. `MainScheduler` needs a running main queue; in a server,
    ///     pass another scheduler.
    ///   - shouldRepeat: called after each completion except the last, on the delivering thread. If it returns `false`,
    ///     the result completes.
    ///
    /// ## See Also
    ///
    /// - [repeat on reactivex.io](https://reactivex.io/documentation/operators/repeat.html)
    @preconcurrency
    public func repeatWithBehavior(
        _ behavior: RepeatBehavior, scheduler: any SchedulerType = MainScheduler.instance,
        shouldRepeat: RepeatPredicate? = nil
    ) -> Observable<Element> {
        let source = asObservable()
        return Observable.concat(
            sequence(state: 0 as UInt) { count in
                count += 1
                guard count > 1 else { return source }
                guard behavior.maxCount >= count, shouldRepeat?() ?? true else { return nil }
                guard let pause = behavior.pause(after: count - 1) else { return source }
                return source.delaySubscription(pause, scheduler: scheduler)
            })
    }
}
