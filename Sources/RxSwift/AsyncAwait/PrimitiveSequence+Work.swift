extension PrimitiveSequenceType where Trait == SingleTrait {
    /// A single with the result of asynchronous work.
    ///
    ///     let order = Single.create { try await load(id) }
    ///
    /// The result is sent on the task's thread.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// See ``ObservableType/create(detached:priority:work:)``.
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
    /// The result is sent on the task's thread; nil completes the maybe. See
    /// ``ObservableType/create(detached:priority:work:)``.
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
    /// The end is sent on the task's thread. See ``ObservableType/create(detached:priority:work:)``.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil, work: @escaping @Sendable () async throws -> Void
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable.create(detached: detached, priority: priority) { _ in try await work() })
    }
}
