import RxSwift

extension ObservableType {
    /// Subscribes again when this sequence completes, with the number of subscriptions and the pauses of `behavior`.
    ///
    ///     source:                                               --1--|  --1--|   3 columns are 3 seconds
    ///     repeatWithBehavior(.delayed(maxCount: 2, time: 3.0)): --1-------1--|
    ///
    /// ![The source once more after a pause](marble-repeat-with-behavior)
    ///
    /// An error is passed on. The completed sequence is disposed of before the pause, and disposing of the result ends
    /// a pause at once. Subscriptions do not nest, so memory does not grow with their number.
    ///
    /// - Parameters:
    ///   - behavior: the number of subscriptions and the length of the pauses.
    ///   - scheduler: ends the pauses, and subscribes to the source again. `MainScheduler` works only if the program
    ///     runs its main queue; in a server, pass another scheduler.
    ///   - shouldRepeat: called after each completion except that of the last subscription, on the delivering thread.
    ///     If `shouldRepeat` returns `false`, the result completes.
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
