extension PrimitiveSequenceType where Trait == SingleTrait {
    /// A single of the result of asynchronous work, done anew for each subscription.
    ///
    /// The result is sent on the task's thread. Disposing the subscription cancels the task; its result is then dropped.
    ///
    /// - Parameters:
    ///   - detached: whether the task is detached: without the priority, the task-local values and the actor of who subscribes.
    ///   - priority: of the task.
    ///   - work: the work. An error it throws ends the single.
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Element
    ) -> PrimitiveSequence<Trait, Element> {
        .create { observer in
            // The observer that create hands out may be called from any thread.
            nonisolated(unsafe) let observer = observer
            let operation: @Sendable () async -> Void = {
                do {
                    let element = try await work()
                    observer(.success(element))
                } catch {
                    observer(.failure(error))
                }
            }
            let task = detached ? Task.detached(priority: priority, operation: operation) : Task(priority: priority, operation: operation)
            return Disposables.create { task.cancel() }
        }
    }
}
