extension ObservableType {
    /// A sequence that asynchronous work feeds, done anew by a task for each subscription.
    ///
    /// The work sends elements through its observer, from whatever thread it is on; `onNext` never slows it down, and
    /// ``AnyObserver/send(_:)`` waits for room in a bounded subscription. Its return completes the sequence, and an
    /// error that it throws ends it, `CancellationError` too, unless it has sent the terminal event itself. Disposing
    /// the subscription, or ending it, cancels the task: `send` then throws, and what `onNext` still sends is dropped.
    ///
    ///     let stored = Observable<Row>.create { observer in
    ///         for try await row in rows { try await observer.send(row) }
    ///     }
    ///
    /// A body that awaits nothing and returns a Disposable is the other `create`'s.
    ///
    /// [Pausing](doc:BoundedMemory): ``AnyObserver/send(_:)`` waits; what `onNext` sends cannot be held back.
    ///
    /// - Parameters:
    ///   - detached: whether the task is detached: without the priority and the task-local values of who subscribes.
    ///   - priority: of the task.
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
            let task =
                detached
                ? Task.detached(executorPreference: executor, priority: priority, operation: operation)
                : Task(executorPreference: executor, priority: priority, operation: operation)
            return Disposables.create { task.cancel() }
        })
    }

    /// Calls `subscribe`, and completes. A mistake, as a rule: what it has started sends to a sequence that has ended.
    /// RxSwift's compiler finds it; here such a closure would pass for one that could await, and so it is found in this
    /// form.
    ///
    /// See `create(_:)`, whose closure returns a Disposable.
    @available(
        *, deprecated,
        message:
            "return a Disposable, or await something: without either the sequence completes when the closure returns"
    )
    @_disfavoredOverload
    @preconcurrency
    public static func create(_ subscribe: @escaping @Sendable (AnyObserver<Element>) throws -> Void) -> Observable<
        Element
    > {
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

/// Where the tasks of asynchronous work run that are started within a scope; nil for the default executor.
///
/// Tests run them on their own clock: the contract suite, which blocks the threads of the default executor, and the
/// virtual broker of rx-streams.
@_spi(RxServer)
public enum WorkExecutor {
    /// Where sources go on that were paused, and that no scheduler is nearer to; nil for a global queue.
    public static let scheduler = TaskLocal<(any SchedulerType & Sendable)?>(wrappedValue: nil)
    /// The executor; nil for the default one.
    public static let preferred = TaskLocal<(any TaskExecutor)?>(wrappedValue: nil)
}
