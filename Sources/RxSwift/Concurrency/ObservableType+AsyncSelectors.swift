// Names of their own: a `flatMap` that any trailing closure could mean would keep the type checker from settling the
// types behind it, and chains of a dozen operators from being checked in reasonable time.
extension ObservableType {
    /// Merges the results of asynchronous work on the elements, as they come.
    ///
    ///     source:                          --1---2---3---|
    ///     flatMapAsync { await slow($0) }: --------2-1-3-|   8 columns for 1, 2 columns for the others
    ///
    /// A task is started for each element; any number of them run at once, and each sends its result from its own
    /// thread, one at a time. Completes once the source and all tasks have; fails with the source or the first task
    /// that throws. Ending or disposing the subscription cancels the tasks that run; what still comes of them is
    /// dropped.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; tasks that run go on, and each may still
    /// send what it returns.
    ///
    /// - Parameter selector: the work on one element.
    public func flatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        flatMap { element in Single.create(working: selector, on: element) }
    }

    /// Merges the results of asynchronous work on the elements, of which at most so many run at a time.
    ///
    ///     rows.flatMapAsync(maxConcurrent: 32) { row in try await store(row) }.bounded(256)
    ///
    /// As ``flatMapAsync(_:)``, but that an element waits while `maxConcurrent` tasks run: in order, and without a
    /// bound unless the subscription has one, which pauses the source.
    ///
    /// - Parameters:
    ///   - maxConcurrent: how many may run; less than 1 stops the process.
    ///   - selector: the work on one element.
    public func flatMapAsync<Result>(
        maxConcurrent: Int, _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        if maxConcurrent < 1 {
            rxFatalError(
                "count must be at least 1", operator: "flatMapAsync", argument: "maxConcurrent", value: maxConcurrent)
        }
        return map { element in Single.create(working: selector, on: element) }.merge(maxConcurrent: maxConcurrent)
    }

    /// The results of asynchronous work on the elements, one after the other, in their order.
    ///
    ///     source:                            --1--2--3----|
    ///     concatMapAsync { await slow($0) }: ------1---2---(3|)   4 columns each
    ///
    /// One task runs at a time; the next element's is started when it has ended. Until then elements wait, in a queue
    /// without a bound. Completes once the source and all tasks have; fails with the source or the first task that
    /// throws. Ending or disposing the subscription cancels the task that runs and drops those that wait.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; a task that runs goes on, and may still send
    /// what it returns. The elements that wait for their turn are a boundary: as many as its bound wait.
    ///
    /// - Parameter selector: the work on one element.
    public func concatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        concatMap { element in Single.create(working: selector, on: element) }
    }

    /// The result of asynchronous work on the latest element.
    ///
    ///     source:                                --1--2-----3-----|
    ///     flatMapLatestAsync { await slow($0) }: ---------2-----3-|   4 columns each
    ///
    /// A new element cancels the task of the one before; what still comes of that is dropped. Completes once the source
    /// and the latest task have; fails with the source or the latest task. Ending or disposing the subscription cancels
    /// the task that runs.
    ///
    /// [Pausing](doc:BoundedMemory): the source goes on, for it decides which task is the latest; that task may still
    /// send what it returns.
    ///
    /// - Parameter selector: the work on one element.
    public func flatMapLatestAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        flatMapLatest { element in Single.create(working: selector, on: element) }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// The result of asynchronous work on the element.
    ///
    ///     Single.just(id).flatMapAsync { id in try await load(id) }
    ///
    /// The work is done by a task, which ending or disposing the subscription cancels.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; tasks that run go on, and each may still
    /// send what it returns.
    ///
    /// - Parameter selector: the work. An error it throws ends the single.
    public func flatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Single<Result> {
        flatMap { element in Single.create(working: selector, on: element) }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// The result of asynchronous work on the element, where there is one.
    ///
    ///     maybeID.flatMapAsync { id in try await load(id) }
    ///
    /// The work is done by a task, which ending or disposing the subscription cancels.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; tasks that run go on, and each may still
    /// send what it returns.
    ///
    /// - Parameter selector: the work. An error it throws ends the maybe.
    public func flatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Maybe<Result> {
        flatMap { element in Single.create(working: selector, on: element).asMaybe() }
    }
}

extension InfallibleType {
    /// Merges the results of asynchronous work on the elements, as they come.
    ///
    /// As `flatMapAsync` of an observable, but the work cannot fail.
    public func flatMapAsync<Result>(_ selector: @escaping @Sendable (Element) async -> Result) -> Infallible<Result> {
        Infallible(asObservable().flatMapAsync(selector))
    }

    /// The results of asynchronous work on the elements, one after the other, in their order.
    ///
    /// As `concatMapAsync` of an observable, but the work cannot fail.
    public func concatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().concatMapAsync(selector))
    }

    /// The result of asynchronous work on the latest element.
    ///
    /// As `flatMapLatestAsync` of an observable, but the work cannot fail.
    public func flatMapLatestAsync<Result>(
        _ selector: @escaping @Sendable (Element) async -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().flatMapLatestAsync(selector))
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    /// The result of `work` on `input`.
    fileprivate static func create<Input>(
        working work: @escaping @Sendable (Input) async throws -> Element, on input: Input
    ) -> Single<Element> {
        // The observable hands its elements from thread to thread, Sendable or not; the task that gets this one is the
        // only one.
        nonisolated(unsafe) let input = input
        return create { try await work(input) }
    }
}
