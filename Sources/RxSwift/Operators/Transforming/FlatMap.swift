extension ObservableType {
    /// Merges the sequences that `selector` returns.
    ///
    ///     source:                   --1-----2---|
    ///     flatMap { $0 ──a──b──| }: ----1a-1b-2a-2b-|
    ///
    /// ![Inner sequences side by side](marble-flat-map)
    ///
    /// Inner sequences may send on several threads at once. Completes when the source and all inner sequences have
    /// completed; fails with the first error.
    ///
    /// [Pausing](doc:BoundedMemory): this sequence and the inner sequences pause with the downstream chain. A bound
    /// does not limit the number of inner sequences.
    ///
    /// - Parameter selector: called on the sending thread. That thread also subscribes to the inner sequence, before
    ///   `onNext` returns. If `selector` throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - ``merge(maxConcurrent:)``
    /// - [flatmap on reactivex.io](https://reactivex.io/documentation/operators/flatmap.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        flatten(selector) { MergeCoordinator(&$0) }
    }
}
