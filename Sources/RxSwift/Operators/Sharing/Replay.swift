extension ObservableType {
    /// Shares one subscription to this sequence, from `connect()` on, through a ``ReplaySubject``.
    ///
    ///     source:                 --1--2--3------4--|
    ///     replay(2), a later one: ---------(^23)-4--|
    ///
    /// ![A later observer receives the last two elements first](marble-replay)
    ///
    /// What is replayed comes before `subscribe` returns, on the subscribing thread; all else on the thread on which
    /// the source sends it. An error or the completion ends all observers and the connection.
    ///
    /// [Pausing](doc:BoundedMemory): a pause below is not passed on: the source is shared, and never waits for one of
    /// its observers. Bound what is below by a boundary that drops, or it ends in
    /// ``FlowError/overflow(boundary:limit:source:)``.
    ///
    /// - Parameter bufferSize: how many of the last elements a new observer receives first.
    ///
    /// ## See Also
    ///
    /// - [replay on reactivex.io](https://reactivex.io/documentation/operators/replay.html)
    @inlinable
    @inline(never)
    public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        multicast { ReplaySubject.create(bufferSize: bufferSize) }
    }

    /// Shares one subscription to this sequence, from `connect()` on; a new observer receives all that has come first.
    ///
    /// As ``replay(_:)``, without a bound on what is kept.
    @inlinable
    @inline(never)
    public func replayAll() -> ConnectableObservable<Element> {
        multicast { ReplaySubject.createUnbounded() }
    }
}
