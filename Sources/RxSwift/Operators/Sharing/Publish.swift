extension ObservableType {
    /// Shares one subscription to this sequence, from `connect()` on, through a ``PublishSubject``.
    ///
    ///     source:    --1--2--3--|
    ///     publish(): -----2--3--|   connected after 4 columns
    ///
    /// ![Nothing comes before it is connected](marble-publish)
    @inlinable
    @inline(never)
    public func publish() -> ConnectableObservable<Element> {
        multicast { PublishSubject() }
    }
}
