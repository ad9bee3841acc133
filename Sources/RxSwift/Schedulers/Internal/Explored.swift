#if RX_EXPLORE
    internal import CRxCore

    /// Makes the library's schedulers use the explorer's controlled threads and virtual timers (crx_explore.h).
    enum Explored {
        static var isCaller: Bool { crx_explore_current() >= 0 }

        static var isForeignCaller: Bool { !isCaller && crx_explore_is_active() }

        static func spawn(_ body: @escaping () -> Void) {
            let executor = executor()
            let body = { WorkExecutor.preferred.withValue(executor, operation: body) }
            _ = crx_explore_spawn(
                { context, _ in Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().body() },
                Unmanaged.passRetained(Body(body)).toOpaque())
        }

        /// This thread's executor or, if there is none, the latest executor found in this run.
        private static func executor() -> (any TaskExecutor)? {
            if executorRun != crx_explore_run_number() {
                executorRun = crx_explore_run_number()
                lastExecutor = nil
            }
            lastExecutor = WorkExecutor.preferred.get() ?? lastExecutor
            return lastExecutor
        }

        // nonisolated(unsafe) because only the running controlled thread uses these variables. `lastExecutor` is weak:
        // the next run must not release objects of this run.
        nonisolated(unsafe) private static weak var lastExecutor: (any TaskExecutor)?
        nonisolated(unsafe) private static var executorRun: UInt64 = 0

        private final class Body {
            let body: () -> Void
            init(_ body: @escaping () -> Void) { self.body = body }
        }

        static func markJob() { crx_explore_mark(("a job of a scheduler" as StaticString).cString) }

        static func refuse(_ scheduler: String) {
            if isCaller {
                fatalError(
                    "The explorer does not control \(scheduler). Pass a SerialDispatchQueueScheduler or a "
                        + "ConcurrentDispatchQueueScheduler instead.")
            }
        }

        static func start<Success, Failure>(
            _ what: String, _ start: () -> Task<Success, Failure>
        ) -> Task<Success, Failure> {
            let accepted = crx_explore_accepted()
            let task = start()
            if isCaller, crx_explore_accepted() == accepted {
                fatalError(
                    "The explorer does not control the threads of Swift's pool, on which \(what) would run. Pass an "
                        + "executor of the world (world.executor) instead.")
            }
            return task
        }

        static func refuseStream(isForeign: Bool) {
            if isForeign, isCaller {
                fatalError(
                    "The explorer does not control the task that reads `values`. Start the task on an executor of the "
                        + "world: Task(executorPreference: world.executor(\"reader\")).")
            }
        }

        /// The timers of the current run, in virtual time.
        // nonisolated(unsafe) because only the running controlled thread uses `service` and `run`.
        nonisolated(unsafe) private static let service = UnsafeMutablePointer<crx_timers>.allocate(capacity: 1)
        nonisolated(unsafe) private static var run: UInt64 = 0

        static func timers(
            _ fire: @escaping @convention(c) (UnsafeMutablePointer<crx_timer>) -> Void
        ) -> UnsafeMutablePointer<crx_timers> {
            if run != crx_explore_run_number() {
                run = crx_explore_run_number()
                crx_timers_init(service, fire, { _ in })
            }
            return service
        }
    }
#endif
