import Dispatch
import RxSwift

/// A kind of timer to measure, used on one thread.
protocol Timers {
    associatedtype Timer

    func start(after span: Int, _ action: @escaping @Sendable () -> Void) -> Timer
    func reset(_ timer: inout Timer, after span: Int, _ action: @escaping @Sendable () -> Void)
    func cancel(_ timer: Timer)
    /// Waits until the timers' queue has run its work.
    func settle()
}

/// A reset disposes of the timer and starts a new timer, as in `debounce` and `timeout`.
struct SchedulerTimers: Timers {
    private let scheduler = SerialDispatchQueueScheduler(internalSerialQueueName: "rx-timers")

    func start(after span: Int, _ action: @escaping @Sendable () -> Void) -> any Disposable {
        scheduler.scheduleRelative((), dueTime: .nanoseconds(span)) { _ in
            action()
            return Disposables.create()
        }
    }

    func reset(_ timer: inout any Disposable, after span: Int, _ action: @escaping @Sendable () -> Void) {
        timer.dispose()
        timer = start(after: span, action)
    }

    func cancel(_ timer: any Disposable) {
        timer.dispose()
    }

    func settle() {
        let done = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            done.signal()
            return Disposables.create()
        }
        done.wait()
    }
}

struct DispatchTimers: Timers {
    private let queue = DispatchQueue(label: "rx-timers")

    func start(after span: Int, _ action: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler(handler: action)
        timer.schedule(deadline: .now() + .nanoseconds(span), leeway: .nanoseconds(0))
        timer.resume()
        return timer
    }

    func reset(_ timer: inout any DispatchSourceTimer, after span: Int, _ action: @escaping @Sendable () -> Void) {
        timer.schedule(deadline: .now() + .nanoseconds(span), leeway: .nanoseconds(0))
    }

    func cancel(_ timer: any DispatchSourceTimer) {
        timer.cancel()
    }

    func settle() {
        queue.sync {}
    }
}
