extension ObservableType {
    /// This sequence as a ``Single``. The element is sent at the completion.
    ///
    /// Fails with ``RxError/noElements`` if there is no element, and with ``RxError/moreThanOneElement`` at the second
    /// element.
    @inlinable
    public func asSingle() -> Single<Element> {
        PrimitiveSequence(raw: lift(SoleElement(isRequired: true)))
    }

    /// This sequence as a ``Maybe``. An element is sent at the completion.
    ///
    /// Fails with ``RxError/moreThanOneElement`` at the second element.
    @inlinable
    public func asMaybe() -> Maybe<Element> {
        PrimitiveSequence(raw: lift(SoleElement(isRequired: false)))
    }
}

extension ObservableType where Element == Never {
    /// This sequence, which has no elements, as a ``Completable``.
    @inlinable
    public func asCompletable() -> Completable {
        PrimitiveSequence(raw: asObservable())
    }
}
