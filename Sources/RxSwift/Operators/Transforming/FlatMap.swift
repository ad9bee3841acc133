extension ObservableType {
    /// Merges the sequences that `selector` makes of the elements.
    ///
    ///     source:                   --1-----2---|
    ///     flatMap { $0 ──a──b──| }: ----1a-1b-2a-2b-|
    ///
    /// ![Inner sequences side by side](marble-flat-map)
    ///
    /// Completes once the source and all inner sequences have completed; fails with the first that fails.
    /// Inner sequences may fire from several threads at once; their events are delivered one at a time.
    ///
    /// [Pausing](doc:BoundedMemory): inner and outer sources pause with what is below; new ones are paused from their
    /// start. They go on one after the other. However many may be open at once: a bound is on what waits.
    ///
    /// - Parameter selector: called with each element, on the thread that sends it. The inner sequence is subscribed
    ///   there, too, before its `onNext` returns. An error it throws ends the sequence.
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
