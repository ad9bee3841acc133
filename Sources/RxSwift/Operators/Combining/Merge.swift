extension ObservableType {
    /// The elements of all sources as they arrive. Completes when all sources have completed. Fails with the first
    /// error.
    ///
    ///     a:           --1-----2--|
    ///     b:           ----9--|
    ///     merge(a, b): --1-9---2--|
    ///
    /// ![The elements of both sources as they come](marble-merge)
    ///
    /// Sources may send on several threads at once.
    ///
    /// [Pausing](doc:BoundedMemory): all sources pause with the downstream chain.
    ///
    /// - Parameter sources: the sources, subscribed to in this order.
    ///
    /// ## See Also
    ///
    /// - ``flatMap(_:)``
    /// - [merge on reactivex.io](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    @inline(never)
    public static func merge<Collection: Swift.Collection>(_ sources: Collection) -> Observable<Element>
    where Collection.Element == Observable<Element> {
        merge(Array(sources))
    }

    /// Like ``merge(_:)-(Collection)``.
    @inlinable
    @inline(never)
    public static func merge(_ sources: [Observable<Element>]) -> Observable<Element> {
        Observable { _, context in
            let coordinator = MergeCoordinator<Element>(&context)
            coordinator.made = sources.count
            for source in sources { coordinator.subscribe(coordinator.startable(source)) }
            coordinator.subscribedAll()
            return nil
        }
    }

    /// Like ``merge(_:)-(Collection)``.
    @inlinable
    @inline(never)
    public static func merge(_ sources: Observable<Element>...) -> Observable<Element> {
        merge(sources)
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// Merges the inner sequences, at most `maxConcurrent` at a time. Further sequences wait, in order.
    ///
    ///     a:                                       --1-----|
    ///     b:                                       ----2-------|
    ///     c:                                               --3--|
    ///     from([a, b, c]).merge(maxConcurrent: 2): --1-2-----3--|
    ///
    /// ![The third source starts when the first has completed](marble-merge-max-concurrent)
    ///
    /// The sequences may send on several threads at once. When a sequence completes, the sending thread subscribes to
    /// the next waiting sequence before `onCompleted` returns.
    ///
    /// Completes when this sequence and all inner sequences have completed. Fails with the first error.
    ///
    /// [Pausing](doc:BoundedMemory): all sources pause with the downstream chain. In a bounded subscription, the outer
    /// source also pauses when the number of waiting sequences reaches the bound. Without a bound, their number is not
    /// limited.
    ///
    /// - Parameter maxConcurrent: the maximum number of running sequences. If it is 0, none runs, and the result
    ///   completes with this sequence.
    ///
    /// ## See Also
    ///
    /// - ``flatMap(_:)``
    /// - <doc:BoundedMemory>
    /// - [merge on reactivex.io](https://reactivex.io/documentation/operators/merge.html)
    @inlinable
    @inline(never)
    public __consuming func merge(maxConcurrent: Int) -> Observable<Element.Element> {
        flatten({ $0 }) { LimitedMergeCoordinator(&$0, "merge(maxConcurrent:)", limit: maxConcurrent) }
    }

    /// Merges all inner sequences.
    ///
    ///     pages.map { fetch($0) }.merge()
    ///
    /// The sequences may send on several threads at once. Completes when this sequence and all inner sequences have
    /// completed. Fails with the first error.
    ///
    /// [Pausing](doc:BoundedMemory): all sources pause with the downstream chain.
    @inlinable
    @inline(never)
    public __consuming func merge() -> Observable<Element.Element> {
        flatten({ $0 }) { MergeCoordinator(&$0) }
    }
}

/// Merges the inner sources of an outer source, or the sources of a list.
@usableFromInline
final class MergeCoordinator<Output>: Flattener, FlatteningCoordinator {
    @inlinable
    override init(_ context: inout SubscribeContext) {
        super.init(&context)
    }

    @usableFromInline
    func subscribedAll() {
        // `enter(listEnded)` alone would always allocate a closure.
        perform(gate, self) {
            listEnded()
        } enqueue: { _ in
            enter(listEnded)
        }
    }

    private func listEnded() {
        ending.hasAll = true
        endIfFinished()
    }
}
