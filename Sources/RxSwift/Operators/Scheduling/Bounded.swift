extension ObservableType {
    /// Bounds the memory of everything above, in this subscription: at each boundary at most so many elements wait, and
    /// what fills it pauses.
    ///
    ///     ticks:                          -------a-----b-----c-----d
    ///     zip(numbers, ticks).bounded(2): -------1-----2-----3-----4
    ///     numbers, as they are sent:      --1-2----------3-4--------   one each 2 columns
    ///
    /// ![What fills the boundary pauses until there is room](marble-bounded)
    ///
    ///     lines.observe(on: queue).map(parse).observe(on: other).bounded(256)
    ///
    /// A boundary is where elements wait for another thread or for another source: ``observe(on:)``, `delay`, `zip`. It
    /// pauses what is above it when `bound` elements wait, and lets it go on when a quarter of them is left. Loops of
    /// cold sources, other boundaries and `create` with `send` pause; a source that cannot, a subject or a plain
    /// `create`, ends in ``FlowError/overflow(boundary:limit:source:)``, behind what waits. A boundary with a policy of
    /// its own keeps it: ``observe(on:buffering:)``. `share`, `groupBy` and `window` never pause their source. What is
    /// under way is not bounded: say how many inner sequences or tasks may be, by `maxConcurrent:`.
    ///
    /// - Threads: a source that was paused goes on at the scheduler of the boundary that had paused it, or where
    ///   `subscribe(on:)` says, or on a global queue. It adds no stage: events pass as without it.
    /// - Parameter bound: how many elements may wait at each boundary; at least 1.
    public func bounded(_ bound: Int) -> Observable<Element> {
        let source = asObservable()
        let buffering = Buffering.pausing(bound).checked(by: "bounded")
        return Observable { [source] _, assembly in
            assembly.scope = FlowScope(buffering, home: assembly.scope?.home ?? .global)
            return .passUnretained(source)
        }
    }
}
