public import Dispatch
public import Logging
public import RxResilience
public import ServiceLifecycle

/// A pipeline as a service of swift-service-lifecycle: it drains when it is asked to go.
///
/// ```swift
/// let service = RxService("orders", drain: .seconds(10), logger: logger) { drain in
///     orders.until(drain)
///         .flatMap { order in charge(order).counted(by: drain, as: "charge") }
///         .do(onNext: confirm)
/// }
/// let group = ServiceGroup(services: [service], gracefulShutdownSignals: [.sigterm], logger: logger)
/// try await group.run()
/// ```
///
/// On graceful shutdown the drain is stopped: each source that says `until(drain)` completes,
/// and the pipeline goes on with what it has begun. It has drained when it has completed, and all that is counted by
/// the drain has ended. After the span, or where it fails meanwhile, it is disposed of, as it is, and what was left is
/// logged and told.
///
/// How ``run()`` ends:
///
/// | | |
/// |---|---|
/// | it has drained, or the span has passed | returns |
/// | the pipeline completes by itself | returns |
/// | the pipeline fails, whenever that is | throws its error |
/// | the task is cancelled, in the midst of draining too | disposes at once, throws `CancellationError` |
///
/// A `ServiceGroup` takes a service that returns by itself for a failed one: for a pipeline that ends, give it the
/// `successTerminationBehavior` that is meant, as a rule `.gracefullyShutdownGroup`.
///
/// - **Threads**: the pipeline is made and subscribed to in a task, with the task-local values of who runs the service,
///   on a thread of the run's own, which a source may keep. The service stops and disposes on its scheduler, or where
///   the last of the work ends, and never within the handler of a shutdown or a cancellation, which is called under a
///   lock.
/// - **Disposal**: `run()` returns when the pipeline has been disposed of. A thread that hangs in a closure is not
///   waited for; a teardown that hangs is.
// @unchecked Sendable because it is immutable, and any thread may use a scheduler.
public struct RxService: Service, @unchecked Sendable {
    let name: String
    let span: RxTimeInterval
    let scheduler: any SchedulerType
    let logger: Logger
    let report: (@Sendable (Drain.Leftover) -> Void)?
    /// Makes the pipeline, and subscribes to it. Its user has made it `@Sendable`.
    let subscribe: (Drain, ServiceRun) throws -> any Disposable

    /// Makes a service of a pipeline.
    ///
    /// - Parameters:
    ///   - name: what it is called in the log.
    ///   - span: how long it may drain. Let it be less than what the process is given before it is killed. With nothing
    ///     the pipeline is disposed of as soon as its sources have completed.
    ///   - scheduler: what measures the span, and where the service stops. It should have more than one thread: what is
    ///     stopped completes there, and a closure that hangs in it must not hold the span up. A concurrent one unless
    ///     given.
    ///   - logger: gets how stopping goes: as `info`, and as `warning` what was left. One with the label `RxService`
    ///     unless given.
    ///   - report: called once where the service is stopped from outside, before `run()` ends, with what was left: all
    ///     that was running where the task was cancelled, or the pipeline has failed while it drained, itself among it.
    ///     It is called on the scheduler, or where the last of the work has ended or the pipeline has failed, with no
    ///     lock held.
    ///   - pipeline: makes the pipeline, anew for each run. Its sources are to end by the drain that it is handed; the
    ///     pipeline itself is counted as `pipeline`. What it throws, `run()` throws.
    public init<Pipeline: ObservableConvertibleType>(
        _ name: String, drain span: RxTimeInterval,
        scheduler: any SchedulerType = ConcurrentDispatchQueueScheduler(qos: .default), logger: Logger? = nil,
        onStopped report: (@Sendable (_ left: Drain.Leftover) -> Void)? = nil,
        pipeline: @escaping @Sendable (_ drain: Drain) throws -> Pipeline
    ) {
        self.name = name
        self.span = span
        self.scheduler = scheduler
        var logger = logger ?? Logger(label: "RxService")
        logger[metadataKey: "rx.service"] = "\(name)"
        self.logger = logger
        self.report = report
        subscribe = { drain, run in run.subscribe(to: try pipeline(drain).asObservable()) }
    }

    /// Runs the pipeline until it ends, is drained or cancelled. Each call is a run of its own.
    ///
    /// - Throws: the pipeline's error; `CancellationError` where the task is cancelled.
    public func run() async throws {
        let run = ServiceRun(self)
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await run.end()
            } onGracefulShutdown: {
                run.soon { run.drainNow() }
            }
        } onCancel: {
            run.soon { run.cancel() }
        }
    }
}
