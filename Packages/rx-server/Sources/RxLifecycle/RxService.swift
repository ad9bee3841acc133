public import Dispatch
public import Logging
public import RxResilience
public import ServiceLifecycle

/// A service of swift-service-lifecycle that runs a pipeline, and drains it on graceful shutdown.
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
/// On graceful shutdown the service stops the drain. Each source with `until(drain)` completes, and the pipeline
/// finishes the work in progress. The pipeline has drained when it has completed and all work that the drain counts has
/// ended. If the span passes first, or the pipeline fails, the service disposes of the pipeline, and logs and reports
/// the remaining work.
///
/// How ``run()`` ends:
///
/// | | |
/// |---|---|
/// | the pipeline has drained, or the span has passed | returns |
/// | the pipeline completes by itself | returns |
/// | the pipeline fails, at any time | throws its error |
/// | the task is cancelled, even during the drain | disposes of the pipeline at once, throws `CancellationError` |
///
/// A `ServiceGroup` treats a service that returns by itself as failed. For a pipeline that ends, set
/// `successTerminationBehavior`, usually to `.gracefullyShutdownGroup`.
///
/// - **Threads**: a separate thread makes the pipeline and subscribes to it, with the task-local values of the caller
///   of `run()`. Sources may block that thread. The drain is stopped on the scheduler. The pipeline is disposed of on
///   the scheduler, or on the thread where the last work ends. No lock is held.
/// - **Disposal**: `run()` returns when the pipeline has been disposed of. It waits for a teardown that blocks, but not
///   for another closure that blocks.
// @unchecked Sendable because it is immutable, and any thread may use a scheduler.
public struct RxService: Service, @unchecked Sendable {
    let name: String
    let span: RxTimeInterval
    let scheduler: any SchedulerType
    let logger: Logger
    let report: (@Sendable (Drain.Leftover) -> Void)?
    /// Makes the pipeline and subscribes to it. Any thread may call it, because the user's closure is `@Sendable`.
    let subscribe: (Drain, ServiceRun) throws -> any Disposable

    /// Creates a service that runs a pipeline.
    ///
    /// - Parameters:
    ///   - name: the service's name in the log.
    ///   - span: how long the pipeline may drain, shorter than the time after which the platform kills the process.
    ///     With zero, the pipeline is disposed of as soon as its sources have completed.
    ///   - scheduler: measures the span. The drain is stopped on it, so sources complete there. It needs several
    ///     threads, so that a closure that blocks cannot delay the end of the span.
    ///   - logger: logs the progress of the stop at level `info`, and remaining work at level `warning`. By default,
    ///     its label is `RxService`.
    ///   - report: called once with the remaining work, before `run()` ends. Not called if the pipeline ends by itself
    ///     before the service is stopped. On a cancellation, or a failure during the drain, all running work is
    ///     reported, including the pipeline. Called without a lock, on the scheduler or on the thread where the last
    ///     work ended or the pipeline failed.
    ///   - pipeline: makes the pipeline, once for each run. The pipeline's sources must end when the drain is stopped.
    ///     The drain counts the pipeline as `pipeline`. If this closure throws, `run()` throws its error.
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

    /// Runs the pipeline until it ends, has drained or is cancelled. Each call is a separate run. Throws the pipeline's
    /// error, or `CancellationError`.
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
