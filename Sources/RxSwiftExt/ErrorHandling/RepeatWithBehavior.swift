import RxSwift

extension ObservableType {
    /// Subscribes again when this sequence completes, as often and after such pauses as `behavior` says.
    ///
    ///     source:                                               --1--|  --1--|   3 columns are 3 seconds
    ///     repeatWithBehavior(.delayed(maxCount: 2, time: 3.0)): --1-------1--|
    ///
    /// ![The source once more after a pause](marble-repeat-with-behavior)
    ///
    /// An error ends the result. The sequence that has completed is disposed before the pause, and disposing the result
    /// ends a pause at once. There is no nesting: a million subscriptions cost no more memory than two.
    ///
    /// - Parameters:
    ///   - behavior: how often, and how long the pauses are.
    ///   - scheduler: where pauses are waited for, and the source is subscribed after one. `MainScheduler` does nothing
    ///     unless the program runs its main queue, so a server passes another one.
    ///   - shouldRepeat: called after each completion that is not the last one allowed, on the thread that delivers it;
    ///     `false` completes the result.
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
