#if RX_EXPLORE
    internal import CRxCore

    /// Controlled threads and virtual timers for the library's schedulers (crx_explore.h). Only in builds with
    /// `RX_EXPLORE`.
    enum Explored {
        /// Whether the explorer controls the calling thread.
        static var isCaller: Bool { crx_explore_current() >= 0 }

        /// Runs `body` on a controlled thread of its own.
        static func spawn(_ body: @escaping () -> Void) {
            _ = crx_explore_spawn(
                { context, _ in Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().body() },
                Unmanaged.passRetained(Body(body)).toOpaque())
        }

        private final class Body {
            let body: () -> Void
            init(_ body: @escaping () -> Void) { self.body = body }
        }

        /// A control point before each job.
        static func markJob() { crx_explore_mark(("a job of a scheduler" as StaticString).cString) }

        /// Stops the process if the explorer controls the calling thread, because it does not control `scheduler`.
        static func refuse(_ scheduler: String) {
            if isCaller {
                fatalError(
                    "The explorer does not control \(scheduler). Pass a SerialDispatchQueueScheduler or a "
                        + "ConcurrentDispatchQueueScheduler instead.")
            }
        }

        /// The timers of the current run; they use virtual time.
        // nonisolated(unsafe) because only the controlled thread that runs uses them.
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
