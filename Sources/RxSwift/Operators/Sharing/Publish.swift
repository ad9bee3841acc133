extension ObservableType {
    /// Shares one subscription to this sequence, from `connect()` on, through a ``PublishSubject``.
    @inlinable
    @inline(never)
    public func publish() -> ConnectableObservable<Element> {
        multicast { PublishSubject() }
    }
}
