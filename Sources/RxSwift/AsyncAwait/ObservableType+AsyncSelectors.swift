// These operators have their own names, because a `flatMap` overload that accepts any trailing closure would keep long
// chains of operators from being type-checked in reasonable time.
extension ObservableType {
    /// Merges the results of `selector`, asynchronous work on each element, as they come.
    ///
    ///     source:                          --1---2---3---|
    ///     flatMapAsync { await slow($0) }: --------2-1-3-|   8 columns for 1, 2 columns for the others
    ///
    /// A task is started for each element, without a limit. Each result is sent on its task's thread. The sequence
    /// completes once the source and all tasks have; it fails with the source or the first task that throws. Ending or
    /// disposing of the subscription cancels the running tasks and drops their results.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the chain below; running tasks may still send their
    /// results.
    public func flatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        flatMap { element in Single.create(working: selector, on: element) }
    }

    /// Merges the results of asynchronous work on the elements, with at most `maxConcurrent` tasks at a time.
    ///
    ///     rows.flatMapAsync(maxConcurrent: 32) { row in try await store(row) }.bounded(256)
    ///
    /// Like ``flatMapAsync(_:)``, but while `maxConcurrent` tasks run, elements wait, in order. Their number is not
    /// limited, unless the subscription has a bound, which pauses the source.
    ///
    /// - Parameters:
    ///   - maxConcurrent: the maximum number of concurrent tasks; less than 1 traps.
    ///   - selector: the work on each element.
    public func flatMapAsync<Result>(
        maxConcurrent: Int, _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        if maxConcurrent < 1 {
            rxFatalError(
                "count must be at least 1", operator: "flatMapAsync", argument: "maxConcurrent", value: maxConcurrent)
        }
        return map { element in Single.create(working: selector, on: element) }.merge(maxConcurrent: maxConcurrent)
    }

    /// The results of `selector`, asynchronous work on each element, one after the other, in their order.
    ///
    ///     source:                            --1--2--3----|
    ///     concatMapAsync { await slow($0) }: ------1---2---(3|)   4 columns each
    ///
    /// One task runs at a time; other elements wait in a queue without a bound. The sequence completes once the source
    /// and all tasks have; it fails with the source or the first task that throws. Ending or disposing of the
    /// subscription cancels the running task and drops the waiting elements.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the chain below; a running task may still send its result.
    /// The waiting elements are a boundary.
    public func concatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Observable<Result> {
        concatMap { element in Single.create(working: selector, on: element) }
    }

    /// The result of `selector`, asynchronous work on the latest element.
    ///
    ///     source:                                --1--2-----3-----|
    ///     flatMapLatestAsync { await slow($0) }: ---------2-----3-|   4 columns each
    ///
    /// A new element cancels the task of the previous one, and that task's result is dropped. The sequence completes
    /// once the source and the latest task have; it fails with either. Ending or disposing of the subscription cancels
    /// the running task.
    ///
    /// [Pausing](doc:BoundedMemory): the source does not pause; the latest task may still send its result.
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
    /// Ending or disposing of the subscription cancels the task that does the work.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the chain below; a running task may still send its result.
    ///
    /// - Parameter selector: an error that it throws ends the single.
    public func flatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Single<Result> {
        flatMap { element in Single.create(working: selector, on: element) }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// The result of asynchronous work on the element, if there is one.
    ///
    ///     maybeID.flatMapAsync { id in try await load(id) }
    ///
    /// Ending or disposing of the subscription cancels the task that does the work.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the chain below; a running task may still send its result.
    ///
    /// - Parameter selector: an error that it throws ends the maybe.
    public func flatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async throws -> Result
    ) -> Maybe<Result> {
        flatMap { element in Single.create(working: selector, on: element).asMaybe() }
    }
}

extension InfallibleType {
    /// Merges the results of asynchronous work on the elements, as they come.
    ///
    /// Like `flatMapAsync` of an observable, but the work cannot fail.
    public func flatMapAsync<Result>(_ selector: @escaping @Sendable (Element) async -> Result) -> Infallible<Result> {
        Infallible(asObservable().flatMapAsync(selector))
    }

    /// The results of asynchronous work on the elements, one after the other, in their order.
    ///
    /// Like `concatMapAsync` of an observable, but the work cannot fail.
    public func concatMapAsync<Result>(
        _ selector: @escaping @Sendable (Element) async -> Result
    ) -> Infallible<Result> {
        Infallible(asObservable().concatMapAsync(selector))
    }

    /// The result of asynchronous work on the latest element.
    ///
    /// Like `flatMapLatestAsync` of an observable, but the work cannot fail.
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
        // Only this task uses the element.
        nonisolated(unsafe) let input = input
        return create { try await work(input) }
    }
}
