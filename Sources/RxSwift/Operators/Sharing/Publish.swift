extension ObservableType {
    /// Shares one subscription to this sequence through a ``PublishSubject``. The subscription begins with `connect()`.
    ///
    ///     source:    --1--2--3--|
    ///     publish(): -----2--3--|   connected after 4 columns
    ///
    /// ![No element before the connection](marble-publish)
    ///
    /// The thread that calls `connect()` subscribes to the source. Events are delivered on the sending thread. A
    /// terminal event also ends the connection.
    ///
    /// [Pausing](doc:BoundedMemory): a pause does not reach the source, as in ``share(replay:scope:)``.
    ///
    /// ## See Also
    ///
    /// - <doc:SharingASequence>
    /// - [publish on reactivex.io](https://reactivex.io/documentation/operators/publish.html)
    @inlinable
    @inline(never)
    public func publish() -> ConnectableObservable<Element> {
        multicast { PublishSubject() }
    }
}
