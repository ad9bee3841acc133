extension PrimitiveSequenceType where Trait == SingleTrait {
    /// A single of the result of asynchronous work. A new task does the work for each subscription.
    ///
    ///     let order = Single.create { try await load(id) }
    ///
    /// The result is sent on the task's thread. Disposing of the subscription cancels the task.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// - Parameters:
    ///   - detached: whether the task is detached, so that it does not inherit the priority and the task-local values
    ///     of the subscriber.
    ///   - priority: the priority of the task.
    ///   - work: an error that it throws ends the single.
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: Observable.create(detached: detached, priority: priority) { $0.onNext(try await work()) })
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// A maybe of the result of asynchronous work. A new task does the work for each subscription.
    ///
    ///     let order = Maybe.create { try await cache.find(id) }
    ///
    /// The result is sent on the task's thread. Disposing of the subscription cancels the task.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// - Parameters:
    ///   - detached: whether the task is detached, so that it does not inherit the priority and the task-local values
    ///     of the subscriber.
    ///   - priority: the priority of the task.
    ///   - work: nil completes the maybe without an element. An error that it throws ends the maybe.
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
    /// A completable of asynchronous work. A new task does the work for each subscription.
    ///
    ///     let saved = Completable.create { try await store(order) }
    ///
    /// The end is sent on the task's thread. Disposing of the subscription cancels the task.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// - Parameters:
    ///   - detached: whether the task is detached, so that it does not inherit the priority and the task-local values
    ///     of the subscriber.
    ///   - priority: the priority of the task.
    ///   - work: its return completes the completable. An error that it throws ends the completable.
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Void
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable.create(detached: detached, priority: priority) { _ in try await work() })
    }
}
