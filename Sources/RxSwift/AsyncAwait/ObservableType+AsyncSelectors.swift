// The names end in `Async`, because overloads of `flatMap` would make type-checking of long chains very slow.
extension ObservableType {
    /// Calls `selector` in a new task for each element, and sends the results as they arrive.
    ///
    ///     source:                          --1---2---3---|
    ///     flatMapAsync { await slow($0) }: --------2-1-3-|   8 columns for 1, 2 columns for the others
    ///
    /// The number of tasks is not limited. A result is sent on the thread of its task. The result sequence completes
    /// when the source and all tasks have completed. It fails when the source fails or a task throws. The end or the
    /// disposal cancels the running tasks and drops their results.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain. Running tasks may still send their
    /// results.
    public func flatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        flatMap { element in Single.create(working: selector, on: element) }
    }

    /// Like ``flatMapAsync(_:)``, with at most `maxConcurrent` tasks at the same time.
    ///
    ///     rows.flatMapAsync(maxConcurrent: 32) { row in try await store(row) }.bounded(256)
    ///
    /// While `maxConcurrent` tasks run, further elements wait, in order. In a bounded subscription, the source pauses
    /// when the number of waiting elements reaches the bound. Without a bound, their number is not limited. A
    /// `maxConcurrent` below 1 traps.
    public func flatMapAsync<Result>(
        maxConcurrent: Int, _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        if maxConcurrent < 1 {
            rxFatalError(
                "count must be at least 1", operator: "flatMapAsync", argument: "maxConcurrent", value: maxConcurrent)
        }
        return map { element in Single.create(working: selector, on: element) }.merge(maxConcurrent: maxConcurrent)
    }

    /// Calls `selector` in a task for each element, one after the other, and sends the results in order.
    ///
    ///     source:                            --1--2--3----|
    ///     concatMapAsync { await slow($0) }: ------1---2---(3|)   4 columns each
    ///
    /// While a task runs, further elements wait, in order. The result sequence ends like that of ``flatMapAsync(_:)``.
    /// Its end or disposal also drops the waiting elements.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain. A running task may still send its
    /// result. In a bounded subscription, the source also pauses when the number of waiting elements reaches the bound.
    /// Without a bound, their number is not limited.
    public func concatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        concatMap { element in Single.create(working: selector, on: element) }
    }

    /// Calls `selector` in a task for the latest element, and sends its result.
    ///
    ///     source:                                --1--2-----3-----|
    ///     flatMapLatestAsync { await slow($0) }: ---------2-----3-|   4 columns each
    ///
    /// A new element cancels the task of the previous element and drops its result. The result sequence completes when
    /// the source and the latest task have completed, and fails when either fails. The end or the disposal cancels the
    /// running task.
    ///
    /// [Pausing](doc:BoundedMemory): the source does not pause. The latest task may still send its result.
    public func flatMapLatestAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        flatMapLatest { element in Single.create(working: selector, on: element) }
    }
}

extension PrimitiveSequenceType where Trait == SingleTrait {
    /// The result of asynchronous work on the element. If `selector` throws an error, the single fails with it.
    ///
    ///     Single.just(id).flatMapAsync { id in try await load(id) }
    ///
    /// See ``ObservableType/flatMapAsync(_:)``.
    public func flatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Single<Result> {
        flatMap { element in Single.create(working: selector, on: element) }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// The result of asynchronous work on the element. Without an element, the maybe completes without a result. If
    /// `selector` throws an error, the maybe fails with it.
    ///
    ///     maybeID.flatMapAsync { id in try await load(id) }
    ///
    /// See ``ObservableType/flatMapAsync(_:)``.
    public func flatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Maybe<Result> {
        flatMap { element in Single.create(working: selector, on: element).asMaybe() }
    }
}

extension InfallibleType {
    /// Like ``ObservableType/flatMapAsync(_:)``, but the work cannot fail.
    public func flatMapAsync<Result>(_ selector: @escaping @Sendable (Element) async -> Result) -> Infallible<Result> {
        Infallible(asObservable().flatMapAsync(selector))
    }

    /// Like ``ObservableType/concatMapAsync(_:)``, but the work cannot fail.
    public func concatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().concatMapAsync(selector))
    }

    /// Like ``ObservableType/flatMapLatestAsync(_:)``, but the work cannot fail.
    public func flatMapLatestAsync<Result>(
        _ selector: @escaping @Sendable (Element) async -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().flatMapLatestAsync(selector))
    }
}

extension PrimitiveSequence where Trait == SingleTrait {
    fileprivate static func create<Input>(
        working work: @escaping @Sendable (Input) async throws -> Element, on input: Input
    ) -> Single<Element> {
        // Only this task uses the element.
        nonisolated(unsafe) let input = input
        return create { try await work(input) }
    }
}
