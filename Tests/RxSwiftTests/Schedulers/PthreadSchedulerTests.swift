import Dispatch
import RxSwift
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct PthreadSchedulerTests {
    private func finish(_ scheduler: PthreadScheduler) throws {
        let done = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            done.signal()
            return Disposables.create()
        }
        try wait(for: done)
    }

    @Test func staysOnOneThread() throws {
        let scheduler = PthreadScheduler()
        let log = Log()
        for _ in 0..<100 {
            _ = scheduler.schedule(()) { _ in
                log(pthread_self())
                return Disposables.create()
            }
            try finish(scheduler)
        }
        #expect(Set(log.entries).count == 1)
    }

    @Test func runsWhatWaitsAtAShutdown() throws {
        let scheduler = PthreadScheduler()
        let log = Log()
        let go = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        _ = scheduler.schedule(()) { _ in
            go.wait()
            return Disposables.create()
        }
        for index in 0..<3 {
            _ = scheduler.schedule(index) { index in
                log(index)
                if index == 2 { done.signal() }
                return Disposables.create()
            }
        }
        scheduler.shutdown()
        go.signal()
        try wait(for: done)
        #expect(log.text == "0 1 2")
    }

    @Test func dropsTimersAndWhatComesAfterAShutdown() throws {
        let scheduler = PthreadScheduler()
        let tracker = LifetimeTracker()
        let ended = DispatchSemaphore(value: 0)
        let timed = LifetimeTracker().make { ended.signal() }
        _ = scheduler.scheduleRelative(consume timed, dueTime: .seconds(1_000)) { _ in Disposables.create() }
        scheduler.shutdown()
        // The thread lets its timers go last.
        try wait(for: ended)
        _ = scheduler.schedule(tracker.make()) { _ in Disposables.create() }
        _ = scheduler.scheduleRelative(tracker.make(), dueTime: .seconds(0)) { _ in Disposables.create() }
        #expect(tracker.live == 0)
    }

    @Test func runsWhatWasScheduledOnceItIsLetGo() throws {
        let done = DispatchSemaphore(value: 0)
        _ = PthreadScheduler().scheduleRelative((), dueTime: .milliseconds(5)) { _ in
            done.signal()
            return Disposables.create()
        }
        try wait(for: done)
    }

    @Test func endsItsThreadOnceLetGoWithNothingButDisposedTimers() throws {
        let tracker = LifetimeTracker()
        let ended = DispatchSemaphore(value: 0)
        var scheduler: PthreadScheduler? = PthreadScheduler()
        // The thread-local lives as long as the thread.
        let key = UnsafeMutablePointer<pthread_key_t>.allocate(capacity: 1)
        pthread_key_create(key) { Unmanaged<LifetimeTracker.Tracked>.fromOpaque($0!).release() }
        _ = scheduler!.schedule(tracker.make { ended.signal() }) { [key = key.pointee] held in
            pthread_setspecific(key, Unmanaged.passRetained(held).toOpaque())
            return Disposables.create()
        }
        let timer = scheduler!.schedulePeriodic(0, startAfter: .seconds(1_000), period: .seconds(1)) { $0 }
        try finish(scheduler!)
        scheduler = nil
        timer.dispose()
        try wait(for: ended)
        key.deallocate()
    }

    @Test func letsDisposedTimersGo() throws {
        let scheduler = PthreadScheduler()
        for _ in 0..<100_000 {
            scheduler.scheduleRelative((), dueTime: .seconds(1_000)) { _ in Disposables.create() }.dispose()
        }
        try finish(scheduler)
    }
}
