extension ObservableType {
    /// Shares one subscription to this sequence, from `connect()` on, through a ``PublishSubject``.
    ///
    ///     source:    --1--2--3--|
    ///     publish(): -----2--3--|   connected after 4 columns
    ///
    /// ![Nothing comes before it is connected](marble-publish)
    ///
    /// The source is subscribed on the thread that calls `connect()`; its events stay on the thread on which they come.
    /// An error or the completion ends all observers and the connection.
    ///
    /// [Pausing](doc:BoundedMemory): a pause below is not passed on: the source is shared, and never waits for one of
    /// its observers. Bound what is below by a boundary that drops, or it ends in
    /// ``FlowError/overflow(boundary:limit:source:)``.
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
