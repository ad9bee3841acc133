extension ObservableType {
    /// Shares one subscription to this sequence through a ``ReplaySubject``. The subscription begins with `connect()`.
    ///
    ///     source:                 --1--2--3------4--|
    ///     replay(2), a later one: ---------(^23)-4--|
    ///
    /// ![A later observer receives the last two elements first](marble-replay)
    ///
    /// Replayed elements are delivered on the subscribing thread, before `subscribe` returns. Other events are
    /// delivered on the sending thread. A terminal event also ends the connection.
    ///
    /// [Pausing](doc:BoundedMemory): a pause does not reach the source, as in ``share(replay:scope:)``.
    ///
    /// - Parameter bufferSize: the maximum number of replayed elements.
    ///
    /// ## See Also
    ///
    /// - [replay on reactivex.io](https://reactivex.io/documentation/operators/replay.html)
    @inlinable
    @inline(never)
    public func replay(_ bufferSize: Int) -> ConnectableObservable<Element> {
        multicast { ReplaySubject.create(bufferSize: bufferSize) }
    }

    /// Like ``replay(_:)``, without a bound on the number of elements.
    @inlinable
    @inline(never)
    public func replayAll() -> ConnectableObservable<Element> {
        multicast { ReplaySubject.createUnbounded() }
    }
}
