extension ObservableType {
    /// A sequence that asynchronous work feeds. A new task does the work for each subscription.
    ///
    /// The work sends elements through its observer, on any thread. `onNext` never waits; ``AnyObserver/send(_:)``
    /// waits for room in a bounded subscription. When the work returns, the sequence completes. An error that it
    /// throws, `CancellationError` included, ends the sequence. Disposing of or ending the subscription cancels the
    /// task: `send` then throws, and `onNext` has no effect.
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
    ///   - detached: whether the task is detached, so that it does not inherit the priority and the task-local values
    ///     of the subscriber.
    ///   - priority: the priority of the task.
    ///   - work: called once for each subscription.
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
    /// a sequence that has ended. The closure would match the asynchronous `create`, so this deprecated overload
    /// catches it.
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

/// The executor and scheduler for asynchronous work within a task-local scope.
///
/// Tests use it to run work on their own clock.
@_spi(RxServer)
public enum WorkExecutor {
    /// The default scheduler on which paused sources resume; nil for a global queue.
    public static let scheduler = TaskLocal<(any SchedulerType & Sendable)?>(wrappedValue: nil)
    /// The executor; nil for the default one.
    public static let preferred = TaskLocal<(any TaskExecutor)?>(wrappedValue: nil)
}
