#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import RxSwift

extension ObservableType where Element: RxAbstractInteger {
    /// A sequence that sends zero at `date` and completes.
    ///
    ///     timer(at: date), 4 columns after the subscription: ----(0|)
    ///
    /// ![Zero at the date](marble-timer-at)
    ///
    ///     Observable<Int>.timer(at: midnight, scheduler: scheduler)
    ///
    /// At each subscription, the time until `date` is computed from the scheduler's `now`, and then measured on the
    /// monotonic clock. So a later change of the system clock does not move the timer. If `date` has passed, zero is
    /// sent at once. Sends on `scheduler`, and cannot fail.
    ///
    /// Pausing: the element is sent on time, even during a pause.
    public static func timer(at date: RxTime, scheduler: any SchedulerType) -> Observable<Element> {
        .deferredUnchecked {
            let nanoseconds = date.timeIntervalSince(scheduler.now) * 1e9
            // The longest span of a timer is about 292 years.
            let span =
                nanoseconds < 9e18 ? RxTimeInterval.nanoseconds(Int(Swift.max(nanoseconds, 0).rounded())) : .never
            return .timer(span, scheduler: scheduler)
        }
    }
}
