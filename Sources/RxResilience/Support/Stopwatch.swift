import RxSwift

extension SpanClock {
    static var monotonic: SpanClock { SpanClock(ConcurrentMainScheduler.instance) }

    func elapsed(since moment: Int?) -> RxTimeInterval {
        .nanoseconds(moment.map { max(0, now.span(since: $0)) } ?? 0)
    }
}

// @unchecked Sendable because any thread may read a scheduler's clock.
struct Stopwatch: @unchecked Sendable {
    private let clock: SpanClock
    private let begun: Int

    init(_ scheduler: any SchedulerType) {
        clock = SpanClock(scheduler)
        begun = clock.now
    }

    var elapsed: RxTimeInterval { clock.elapsed(since: begun) }
}
