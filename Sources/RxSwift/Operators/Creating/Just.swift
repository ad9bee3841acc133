extension ObservableType {
    /// A sequence of one element.
    ///
    ///     just(1): (1|)
    ///
    /// ![One element and the end](marble-just)
    ///
    /// Both events come before `subscribe` returns, on the subscribing thread. The sequence cannot fail.
    ///
    /// [Pausing](doc:BoundedMemory): does not apply.
    ///
    /// ## See Also
    ///
    /// - [just on reactivex.io](https://reactivex.io/documentation/operators/just.html)
    @inlinable
    @inline(never)
    public static func just(_ element: Element) -> Observable<Element> {
        Scalar(element)
    }

    /// A sequence of one element, sent on `scheduler`, one job per event.
    ///
    ///     Observable.just(settings, scheduler: background)
    ///
    /// The sequence cannot fail.
    ///
    /// [Pausing](doc:BoundedMemory): nothing is sent during a pause.
    @inlinable
    @inline(never)
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        From(CollectionOfOne(element), scheduler)
    }
}
