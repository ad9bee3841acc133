extension PrimitiveSequenceType where Trait == SingleTrait {
    /// A single with the result of asynchronous work.
    ///
    ///     let order = Single.create { try await load(id) }
    ///
    /// Each subscription starts a task, on whose thread the result is sent. Disposal cancels the task.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// - Parameters:
    ///   - detached: whether the task does not inherit the subscriber's priority and task-local values.
    ///   - priority: the priority of the task.
    ///   - work: if it throws an error, the single fails with that error.
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
    /// Each subscription starts a task, on whose thread the result is sent. Disposal cancels the task.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// - Parameters:
    ///   - detached: whether the task does not inherit the subscriber's priority and task-local values.
    ///   - priority: the priority of the task.
    ///   - work: returns the element, or nil for none. If it throws an error, the maybe fails with that error.
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
    /// Each subscription starts a task, on whose thread the end is sent. Disposal cancels the task.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// - Parameters:
    ///   - detached: whether the task does not inherit the subscriber's priority and task-local values.
    ///   - priority: the priority of the task.
    ///   - work: if it throws an error, the completable fails with that error.
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Void
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable.create(detached: detached, priority: priority) { _ in try await work() })
    }
}
