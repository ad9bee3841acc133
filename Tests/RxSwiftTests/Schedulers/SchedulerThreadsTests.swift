import Dispatch
import RxSwift
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct SchedulerThreadsTests {
    enum Kind: CaseIterable {
        case pthread, pool

        static let tooMuch = 1 << 60

        func make(stackSize: Int? = nil) -> any SchedulerType & Sendable {
            switch self {
            case .pthread: PthreadScheduler(name: "rx-thread", stackSize: stackSize)
            case .pool: PthreadPoolScheduler(name: "rx-thread", stackSize: stackSize)
            }
        }

        func shutdown(_ scheduler: any SchedulerType) {
            (scheduler as? PthreadScheduler)?.shutdown()
            (scheduler as? PthreadPoolScheduler)?.shutdown()
        }
    }

    @Test(arguments: Kind.allCases) func schedulerThreadsBlockAllButFaultSignals(kind: Kind) throws {
        let (scheduler, done, blocked) = (kind.make(), DispatchSemaphore(value: 0), Guarded<[Int32]>([]))
        let signals = [SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPROF, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS]
        _ = scheduler.schedule(()) { _ in
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            blocked.withLock { $0 = signals.filter { sigismember(&mask, $0) == 1 } }
            done.signal()
            return Disposables.create()
        }
        try wait(for: done)
        #expect(blocked.withLock { $0 } == Array(signals.prefix(5)))
    }

    @Test(arguments: Kind.allCases) func refusedThreadIsReportedAndShutdownFreesActions(kind: Kind) async {
        await #expect(processExitsWith: .success) { [isPool = (kind == .pool) as Bool] in
            let kind: Kind = isPool ? .pool : .pthread
            let errors = Log()
            Hooks.defaultErrorHandler = { _, error in errors((error as? ThreadRefused)?.name ?? "another") }
            let tracker = LifetimeTracker()
            let scheduler = kind.make(stackSize: Kind.tooMuch)
            for _ in 0..<3 { _ = scheduler.schedule(tracker.make()) { _ in Disposables.create() } }
            usleep(250_000)
            precondition(tracker.live == 3)
            precondition(errors.entries.count == 1 && errors.text.contains("rx-thread"))
            kind.shutdown(scheduler)
            precondition(tracker.live == 0)
            _ = scheduler.schedule(tracker.make()) { _ in Disposables.create() }
            precondition(tracker.live == 0)
        }
    }

    @Test(arguments: Kind.allCases) func valueFreedByShutdownMayShutDownScheduler(kind: Kind) async {
        await #expect(processExitsWith: .success) { [isPool = (kind == .pool) as Bool] in
            let kind: Kind = isPool ? .pool : .pthread
            Hooks.defaultErrorHandler = { _, _ in }
            let (tracker, done) = (LifetimeTracker(), DispatchSemaphore(value: 0))
            let scheduler = kind.make(stackSize: Kind.tooMuch)
            _ = scheduler.schedule(tracker.make { kind.shutdown(scheduler) }) { _ in Disposables.create() }
            startThread {
                kind.shutdown(scheduler)
                done.signal()
            }
            precondition(done.wait(timeout: .now() + 20) == .success)
            precondition(tracker.live == 0)
        }
    }

    /// The error handler may call `shutdown()`, which waits for the timer thread.
    @Test func shortageMetByTimerThreadIsReportedOnOtherThread() async {
        await #expect(processExitsWith: .success) {
            let (names, done) = (Log(), DispatchSemaphore(value: 0))
            let pool = PthreadPoolScheduler(name: "rx-thread", stackSize: Kind.tooMuch)
            Hooks.defaultErrorHandler = { _, _ in
                names(threadName())
                pool.shutdown()
                done.signal()
            }
            _ = pool.scheduleRelative((), dueTime: .milliseconds(1)) { _ in Disposables.create() }
            precondition(done.wait(timeout: .now() + 20) == .success)
            precondition(names.entries.count == 1 && names.text != "rx.timers", names.text)
            _ = SerialDispatchQueueScheduler(qos: .default).scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                done.signal()
                return Disposables.create()
            }
            precondition(done.wait(timeout: .now() + 20) == .success)
        }
    }

    @Test(arguments: [-1, 1]) func invalidStackSizeTraps(stackSize: Int) async {
        for isPool in [false, true] {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                [isPool = isPool as Bool, stackSize = stackSize as Int] in
                let kind: Kind = isPool ? .pool : .pthread
                _ = kind.make(stackSize: stackSize)
            }
            let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            #expect(words.contains("A thread can't have this stack size"))
        }
    }

    #if canImport(Glibc)
        private static func setDefaultStack(_ size: Int) -> Int {
            typealias Access = @convention(c) (UnsafeMutablePointer<pthread_attr_t>) -> Int32
            // Swift's module omits these GNU functions.
            func access(_ name: String) -> Access { unsafeBitCast(dlsym(nil, name)!, to: Access.self) }
            var attributes = pthread_attr_t()
            var before = 0
            precondition(access("pthread_getattr_default_np")(&attributes) == 0)
            pthread_attr_getstacksize(&attributes, &before)
            pthread_attr_setstacksize(&attributes, size)
            precondition(access("pthread_setattr_default_np")(&attributes) == 0)
            return before
        }

        /// Without a guard page, an overflow would overwrite other memory.
        @Test(arguments: Kind.allCases) func threadStacksHaveGuardPage(kind: Kind) throws {
            typealias Access = @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32
            let access = unsafeBitCast(dlsym(nil, "pthread_getattr_np")!, to: Access.self)
            let (scheduler, done, size) = (kind.make(), DispatchSemaphore(value: 0), Guarded(0))
            _ = scheduler.schedule(()) { _ in
                var (attributes, guardSize) = (pthread_attr_t(), 0)
                if access(pthread_self(), &attributes) == 0 {
                    pthread_attr_getguardsize(&attributes, &guardSize)
                    pthread_attr_destroy(&attributes)
                }
                size.withLock { $0 = guardSize }
                done.signal()
                return Disposables.create()
            }
            try wait(for: done)
            kind.shutdown(scheduler)
            #expect(size.withLock { $0 } > 0)
        }

        private static func warmUp() {
            let warm = DispatchSemaphore(value: 0)
            _ = PthreadScheduler().scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                warm.signal()
                return Disposables.create()
            }
            warm.wait()
        }

        private static func warmUpDispatch() {
            let warm = DispatchSemaphore(value: 0)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { warm.signal() }
            warm.wait()
        }

        @Test(arguments: Kind.allCases, [true, false])
        func waitingJobsRunWhenAThreadStarts(kind: Kind, theTimersHaveOne: Bool) async {
            await #expect(processExitsWith: .success) {
                [isPool = (kind == .pool) as Bool, theTimersHaveOne = theTimersHaveOne as Bool] in
                let kind: Kind = isPool ? .pool : .pthread
                if theTimersHaveOne { Self.warmUp() } else { Self.warmUpDispatch() }
                Hooks.defaultErrorHandler = { _, _ in }
                let usual = Self.setDefaultStack(Kind.tooMuch)
                let (scheduler, log, done) = (kind.make(), Log(), DispatchSemaphore(value: 0))
                for index in 0..<3 {
                    _ = scheduler.schedule(index) { index in
                        log(index)
                        if index == 2 { done.signal() }
                        return Disposables.create()
                    }
                }
                precondition(log.text == "")
                _ = Self.setDefaultStack(usual)
                precondition(done.wait(timeout: .now() + 20) == .success)
                // Each job must run even if no other job follows.
                for _ in 0..<100 {
                    _ = scheduler.schedule(()) { _ in
                        done.signal()
                        return Disposables.create()
                    }
                    precondition(done.wait(timeout: .now() + 20) == .success)
                }
                kind.shutdown(scheduler)
                precondition(kind == .pool ? Set(log.entries) == ["0", "1", "2"] : log.text == "0 1 2")
            }
        }

        @Test func timersFireOnceTimerThreadStarts() async {
            await #expect(processExitsWith: .success) {
                Self.warmUpDispatch()
                let (errors, done) = (Log(), DispatchSemaphore(value: 0))
                Hooks.defaultErrorHandler = { _, error in errors((error as? ThreadRefused)?.name ?? "another") }
                let scheduler = SerialDispatchQueueScheduler(qos: .default)
                let usual = Self.setDefaultStack(Kind.tooMuch)
                for _ in 0..<2 {
                    _ = scheduler.scheduleRelative((), dueTime: .milliseconds(1)) { _ in
                        done.signal()
                        return Disposables.create()
                    }
                }
                // Waits until another attempt to start the thread has failed.
                usleep(250_000)
                _ = Self.setDefaultStack(usual)
                for _ in 0..<2 { precondition(done.wait(timeout: .now() + 20) == .success) }
                precondition(errors.text == "rx.timers", errors.text)
            }
        }

        /// Another scheduler's timer fires before the shortage can be reported.
        @Test func shortageMetByTimerThreadIsReportedOnceThreadStarts() async {
            await #expect(processExitsWith: .success) {
                Self.warmUp()
                let (log, told, fired) = (Log(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
                Hooks.defaultErrorHandler = { _, error in
                    log("\((error as? ThreadRefused)?.name ?? "another") on \(threadName())")
                    told.signal()
                }
                let (pool, other) = (PthreadPoolScheduler(name: "rx-thread"), PthreadScheduler())
                let usual = Self.setDefaultStack(Kind.tooMuch)
                for (scheduler, milliseconds) in [(pool, 1), (other, 20)] as [(any SchedulerType, Int)] {
                    _ = scheduler.scheduleRelative((), dueTime: .milliseconds(milliseconds)) { _ in
                        fired.signal()
                        return Disposables.create()
                    }
                }
                precondition(fired.wait(timeout: .now() + 20) == .success)
                _ = Self.setDefaultStack(usual)
                for semaphore in [told, fired] { precondition(semaphore.wait(timeout: .now() + 20) == .success) }
                precondition(log.text == "rx-thread on rx.refused", log.text)
            }
        }

        private final class Meeting: Sendable {
            private let arrived = Guarded(0)
            private let done = DispatchSemaphore(value: 0)
            private let size: Int

            init(_ size: Int, on scheduler: PthreadPoolScheduler) {
                self.size = size
                for _ in 0..<size {
                    _ = scheduler.schedule(self) { meeting in
                        meeting.arrived.withLock { $0 += 1 }
                        if comesTrue(within: 20, { meeting.arrived.withLock { $0 } == size }) { meeting.done.signal() }
                        return Disposables.create()
                    }
                }
            }

            func takesPlace() -> Bool {
                (0..<size).allSatisfy { _ in done.wait(timeout: .now() + 30) == .success }
            }
        }

        @Test func jobsWaitingForFirstPoolThreadRunInParallel() async {
            await #expect(processExitsWith: .success) {
                Self.warmUp()
                Hooks.defaultErrorHandler = { _, _ in }
                let scheduler = PthreadPoolScheduler(name: "rx-thread")
                let usual = Self.setDefaultStack(Kind.tooMuch)
                let meeting = Meeting(3, on: scheduler)
                _ = Self.setDefaultStack(usual)
                precondition(meeting.takesPlace())
                scheduler.shutdown()
            }
        }

        private static func poolWithOneThread(
            maxThreads: Int = 8, idleTime: RxTimeInterval = .seconds(10)
        ) -> (PthreadPoolScheduler, DispatchSemaphore) {
            let scheduler = PthreadPoolScheduler(name: "rx-thread", maxThreads: maxThreads, idleTime: idleTime)
            let (begun, go) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            _ = scheduler.schedule(()) { _ in
                begun.signal()
                go.wait()
                return Disposables.create()
            }
            begun.wait()
            return (scheduler, go)
        }

        @Test func jobsWaitingForMorePoolThreadsRunInParallel() async {
            await #expect(processExitsWith: .success) {
                Self.warmUp()
                let (scheduler, go) = Self.poolWithOneThread()
                let usual = Self.setDefaultStack(Kind.tooMuch)
                let meeting = Meeting(3, on: scheduler)
                precondition(scheduler.threadCount == 1)
                _ = Self.setDefaultStack(usual)
                go.signal()
                precondition(meeting.takesPlace())
                scheduler.shutdown()
            }
        }

        /// The shutdown would not wait for threads that start later.
        @Test func poolStartsNoThreadsDuringShutdown() async {
            await #expect(processExitsWith: .success) {
                Self.warmUp()
                let (scheduler, go) = Self.poolWithOneThread()
                let (log, done) = (Log(), DispatchSemaphore(value: 0))
                func scheduleOne() -> any Disposable {
                    scheduler.schedule(()) { _ in
                        log(scheduler.threadCount)
                        return Disposables.create()
                    }
                }
                let usual = Self.setDefaultStack(Kind.tooMuch)
                for _ in 0..<3 { _ = scheduleOne() }
                startThread(stackSize: 1 << 20) {
                    scheduler.shutdown()
                    done.signal()
                }
                // Once the shutdown has begun, jobs are dropped.
                precondition(comesTrue { (scheduleOne() as? any Cancelable)?.isDisposed == true })
                _ = Self.setDefaultStack(usual)
                go.signal()
                precondition(done.wait(timeout: .now() + 20) == .success)
                precondition(log.entries.count >= 3 && Set(log.entries) == ["1"], log.text)
            }
        }

        @Test func eachThreadShortageOfPoolIsReported() async {
            await #expect(processExitsWith: .success) {
                Self.warmUp()
                let errors = Log()
                Hooks.defaultErrorHandler = { _, error in errors((error as? ThreadRefused)?.name ?? "another") }
                let scheduler = PthreadPoolScheduler(name: "rx-thread", idleTime: .milliseconds(1))
                for _ in 0..<2 {
                    let done = DispatchSemaphore(value: 0)
                    let usual = Self.setDefaultStack(Kind.tooMuch)
                    _ = scheduler.schedule(()) { _ in
                        done.signal()
                        return Disposables.create()
                    }
                    _ = Self.setDefaultStack(usual)
                    done.wait()
                    precondition(comesTrue { scheduler.threadCount == 0 })
                }
                precondition(errors.text == "rx-thread rx-thread", errors.text)
                scheduler.shutdown()
            }
        }

        @Test func threadStackOfReleasedSchedulerIsUnmapped() async {
            await #expect(processExitsWith: .success) {
                Self.warmUp()
                let before = addressSpaceBytes()
                for _ in 0..<32 {
                    let done = DispatchSemaphore(value: 0)
                    _ = PthreadScheduler(name: "rx-stack", stackSize: 64 << 20).schedule(()) { _ in
                        done.signal()
                        return Disposables.create()
                    }
                    precondition(done.wait(timeout: .now() + 20) == .success)
                    precondition(comesTrue { !threadNames().contains("rx-stack") })
                }
                precondition(addressSpaceBytes() - before < 1 << 30)
            }
        }

        @Test func poolWithAThreadReportsNoErrorWhenAnotherIsRefused() async {
            await #expect(processExitsWith: .success) {
                Self.warmUp()
                let errors = Log()
                Hooks.defaultErrorHandler = { _, error in errors(error) }
                let (scheduler, go) = Self.poolWithOneThread(maxThreads: 2)
                let done = DispatchSemaphore(value: 0)
                let usual = Self.setDefaultStack(Kind.tooMuch)
                _ = scheduler.schedule(()) { _ in
                    done.signal()
                    return Disposables.create()
                }
                precondition(scheduler.threadCount == 1)
                go.signal()
                done.wait()
                _ = Self.setDefaultStack(usual)
                scheduler.shutdown()
                precondition(errors.text == "", errors.text)
            }
        }

        @Test func jobAwaitedByPoolThreadRunsWhenAnotherThreadStarts() async {
            await #expect(processExitsWith: .success) {
                Self.warmUp()
                let (scheduler, go) = Self.poolWithOneThread(maxThreads: 2)
                let done = DispatchSemaphore(value: 0)
                let usual = Self.setDefaultStack(Kind.tooMuch)
                _ = scheduler.schedule(()) { _ in
                    go.signal()
                    done.signal()
                    return Disposables.create()
                }
                precondition(scheduler.threadCount == 1)
                _ = Self.setDefaultStack(usual)
                precondition(done.wait(timeout: .now() + 20) == .success)
                scheduler.shutdown()
            }
        }

        @Test func poolWithoutThreadsReportsErrorAfterEarlierShortage() async {
            await #expect(processExitsWith: .success) {
                Self.warmUp()
                let errors = Log()
                Hooks.defaultErrorHandler = { _, error in errors((error as? ThreadRefused)?.name ?? "another") }
                let (scheduler, go) = Self.poolWithOneThread(maxThreads: 2, idleTime: .milliseconds(1))
                let usual = Self.setDefaultStack(Kind.tooMuch)
                _ = scheduler.schedule(()) { _ in Disposables.create() }
                precondition(errors.text == "", errors.text)
                go.signal()
                precondition(comesTrue { scheduler.threadCount == 0 })
                _ = scheduler.schedule(()) { _ in Disposables.create() }
                precondition(errors.text == "rx-thread", errors.text)
                _ = Self.setDefaultStack(usual)
                scheduler.shutdown()
            }
        }
    #endif
}
