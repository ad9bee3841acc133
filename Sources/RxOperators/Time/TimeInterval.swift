public import Dispatch
import RxSwift

extension ObservableType {
    /// Each element with the time since the previous element or, for the first element, since the subscription.
    ///
    ///     source:                        --1-----2-----|
    ///     timeInterval(...), in columns: --(2,1)-(6,2)-|
    ///
    /// ![Each element with the time before it](marble-time-interval)
    ///
    /// With a scheduler of this library, the times are measured on the monotonic clock; with any other scheduler, by
    /// its `now`. Events, including an error, are delivered on the sending thread.
    ///
    /// Pausing: the source pauses with the downstream chain. The time of a pause is included.
    ///
    /// - Parameter scheduler: measures the time.
    ///
    /// ## See Also
    ///
    /// - [timeinterval on reactivex.io](https://reactivex.io/documentation/operators/timeinterval.html)
    @inlinable
    @inline(never)
    public __consuming func timeInterval(
        scheduler: any SchedulerType
    ) -> Observable<(interval: RxTimeInterval, element: Element)> {
        lift(Intervals(clock: SpanClock(scheduler)))
    }
}

@usableFromInline
struct Intervals<Input>: LinearOperator {
    @usableFromInline
    typealias Output = (interval: RxTimeInterval, element: Input)

    @usableFromInline
    let clock: SpanClock

    @inlinable
    init(clock: SpanClock) {
        self.clock = clock
    }

    @inlinable
    func makeState() -> Int { clock.now }

    @inlinable
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Output? {
        let now = clock.now
        return (.nanoseconds(now.span(since: stage.exchange(now))), element)
    }

    @inlinable
    static var endsEarly: Bool { false }
}
