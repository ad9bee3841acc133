extension ObservableType {
    /// Shares one subscription to this sequence through a ``PublishSubject``. The subscription begins with `connect()`.
    ///
    ///     source:    --1--2--3--|
    ///     publish(): -----2--3--|   connected after 4 columns
    ///
    /// ![Nothing comes before it is connected](marble-publish)
    ///
    /// The source is subscribed to on the thread that calls `connect()`. Its events are delivered on the sending
    /// thread. A terminal event also ends the connection.
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
