extension PrimitiveSequenceType where Trait == SingleTrait {
    /// A single with the result of asynchronous work.
    ///
    ///     let order = Single.create { try await load(id) }
    ///
    /// Each subscription starts a task, and the result is sent on the task's thread. If `work` throws an error, the
    /// single fails with that error. Disposal cancels the task. A `detached` task does not inherit the subscriber's
    /// priority and task-local values.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: Observable.create(detached: detached, priority: priority) { $0.onNext(try await work()) })
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// A maybe with the result of asynchronous work.
    ///
    ///     let order = Maybe.create { try await cache.find(id) }
    ///
    /// Each subscription starts a task, and the result is sent on the task's thread. If `work` returns nil, the maybe
    /// is empty. If `work` throws an error, the maybe fails with that error. Disposal cancels the task. A `detached`
    /// task does not inherit the subscriber's priority and task-local values.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Element?
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: Observable.create(detached: detached, priority: priority) { observer in
                if let element = try await work() { observer.onNext(element) }
            })
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// A completable that completes when asynchronous work has returned.
    ///
    ///     let saved = Completable.create { try await store(order) }
    ///
    /// Each subscription starts a task, and the end is sent on the task's thread. If `work` throws an error, the
    /// completable fails with that error. Disposal cancels the task. A `detached` task does not inherit the
    /// subscriber's priority and task-local values.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Void
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable.create(detached: detached, priority: priority) { _ in try await work() })
    }
}
