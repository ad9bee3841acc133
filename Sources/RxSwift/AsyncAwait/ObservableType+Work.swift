extension ObservableType {
    /// A sequence whose events are sent by asynchronous work. Each subscription starts a task for the work.
    ///
    /// The work may send elements on any thread. When it returns, the sequence completes. If it throws an error,
    /// including `CancellationError`, the sequence fails with that error. The end or the disposal of the subscription
    /// cancels the task. From then on, ``AnyObserver/send(_:)`` throws, and `onNext` has no effect.
    ///
    ///     let stored = Observable<Row>.create { observer in
    ///         for try await row in rows { try await observer.send(row) }
    ///     }
    ///
    /// If the closure has no `await` and returns a `Disposable`, the compiler selects the synchronous `create(_:)`.
    ///
    /// [Pausing](doc:BoundedMemory): in a bounded subscription, ``AnyObserver/send(_:)`` waits for room. `onNext` never
    /// waits.
    ///
    /// - Parameters:
    ///   - detached: whether the task does not inherit the subscriber's priority and task-local values.
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

    /// Calls `subscribe`, then completes. Events sent after `subscribe` has returned are dropped.
    ///
    /// Without this deprecated overload, a closure that returns nothing would select the asynchronous `create`. See
    /// `create(_:)`.
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

/// Task-local values that tests set to run asynchronous work in virtual time.
@_spi(RxServer)
public enum WorkExecutor {
    /// The default scheduler on which paused sources resume; nil for a global queue.
    public static let scheduler = TaskLocal<(any SchedulerType & Sendable)?>(wrappedValue: nil)
    /// The executor of the tasks; nil for the default executor.
    public static let preferred = TaskLocal<(any TaskExecutor)?>(wrappedValue: nil)
}
