extension ObservableType {
    /// A sequence that asynchronous work feeds. A new task does the work for each subscription.
    ///
    /// The work sends elements through its observer, on any thread. `onNext` never waits; ``AnyObserver/send(_:)``
    /// waits for room in a bounded subscription. When the work returns, the sequence completes. An error that it throws
    /// ends the sequence, `CancellationError` included, unless the work has sent the terminal event itself. Disposing
    /// of or ending the subscription cancels the task: `send` then throws, and elements of `onNext` are dropped.
    ///
    ///     let stored = Observable<Row>.create { observer in
    ///         for try await row in rows { try await observer.send(row) }
    ///     }
    ///
    /// A closure that awaits nothing and returns a Disposable selects the other `create`.
    ///
    /// [Pausing](doc:BoundedMemory): ``AnyObserver/send(_:)`` waits; elements sent with `onNext` cannot be held back.
    ///
    /// - Parameters:
    ///   - detached: whether the task is detached, without the priority and the task-local values of the subscriber.
    ///   - priority: the priority of the task.
    ///   - work: the work, called once for each subscription.
    @_disfavoredOverload
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil,
        work: @escaping @Sendable (AnyObserver<Element>) async throws -> Void
    ) -> Observable<Element> {
        CreateProducer(asking: { observer in
            let operation: @Sendable () async -> Void = {
                do {
                    try await work(observer)
                    observer.onCompleted()
                } catch {
                    observer.onError(error)
                }
            }
            let executor = WorkExecutor.preferred.get()
            func start() -> Task<Void, Never> {
                detached
                    ? Task.detached(executorPreference: executor, priority: priority, operation: operation)
                    : Task(executorPreference: executor, priority: priority, operation: operation)
            }
            #if RX_EXPLORE
                let task = Explored.start("asynchronous work", start)
            #else
                let task = start()
            #endif
            return Disposables.create { task.cancel() }
        })
    }

    /// Calls `subscribe`, then completes. This is usually a mistake, because work that the closure has started sends to
    /// a sequence that has ended. With RxSwift such a closure does not compile. Here it would match the asynchronous
    /// `create`, so this deprecated overload catches it.
    ///
    /// See `create(_:)`, whose closure returns a Disposable.
    @available(
        *, deprecated,
        message:
            "return a Disposable, or await something: without either the sequence completes when the closure returns"
    )
    @_disfavoredOverload
    @preconcurrency
    public static func create(
        _ subscribe: @escaping @Sendable (AnyObserver<Element>) throws -> Void
    ) -> Observable<Element> {
        create { observer in
            do {
                try subscribe(observer)
                observer.onCompleted()
            } catch {
                observer.onError(error)
            }
            return Disposables.create()
        }
    }
}

/// The executor and scheduler for asynchronous work that is started within a task-local scope.
///
/// Tests use it to run work on their own clock: the contract suite, which blocks the threads of the default executor,
/// and the virtual broker of rx-streams.
@_spi(RxServer)
public enum WorkExecutor {
    /// The scheduler on which paused sources resume if no closer scheduler is known; nil for a global queue.
    public static let scheduler = TaskLocal<(any SchedulerType & Sendable)?>(wrappedValue: nil)
    /// The executor; nil for the default one.
    public static let preferred = TaskLocal<(any TaskExecutor)?>(wrappedValue: nil)
}
