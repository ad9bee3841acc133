extension ObservableType {
    /// Bounds the memory of everything upstream. When `bound` elements wait at a boundary, its source pauses.
    ///
    ///     ticks:                          -------a-----b-----c-----d
    ///     zip(numbers, ticks).bounded(2): -------1-----2-----3-----4
    ///     numbers, as they are sent:      --1-2----------3-4--------   one each 2 columns
    ///
    /// ![What fills the boundary pauses until there is room](marble-bounded)
    ///
    ///     lines.observe(on: queue).map(parse).observe(on: other).bounded(256)
    ///
    /// At a boundary (``observe(on:)``, `delay`, `zip`), elements wait for another thread or another source. The source
    /// resumes when a quarter of the elements is left. Cold loops, boundaries and `create` with `send` can pause. If a
    /// source that cannot pause, such as a subject or a plain `create`, exceeds the bound, the sequence fails with
    /// ``FlowError/overflow(boundary:limit:source:)`` after the waiting elements. A boundary with its own policy, as in
    /// ``observe(on:buffering:)``, keeps that policy. `share`, `groupBy` and `window` never pause their source. Limit
    /// the number of inner sequences or tasks with `maxConcurrent:`. See <doc:BoundedMemory>.
    ///
    /// A `bound` less than 1 stops the process.
    ///
    /// - Threads: a paused source resumes on the scheduler of the boundary, on the scheduler of `subscribe(on:)`, or on
    ///   a global queue.
    public func bounded(_ bound: Int) -> Observable<Element> {
        let source = asObservable()
        let buffering = Buffering.pausing(bound).checked(by: "bounded")
        return Observable { [source] _, context in
            context.enterScope(buffering)
            return source
        }
    }

    /// Like `bounded(_:)`. Each subscription calls `bound` once, on the subscribing thread.
    package func bounded(_ bound: @escaping @Sendable () -> Int) -> Observable<Element> {
        let source = asObservable()
        return Observable { [source] _, context in
            context.enterScope(Buffering.pausing(bound()).checked(by: "bounded"))
            return source
        }
    }

    /// In a bounded subscription, the sequence that `bounded` returns; otherwise this sequence. `bounded` is called
    /// once, for all subscriptions.
    ///
    /// [Pausing](doc:BoundedMemory): like the sequence that `bounded` returns.
    @_spi(RxServer)
    public func whereBounded(_ bounded: (Observable<Element>) -> Observable<Element>) -> Observable<Element> {
        let source = asObservable()
        let bounded = bounded(source)
        return Observable { _, context in context.isInScope ? bounded : source }
    }
}
