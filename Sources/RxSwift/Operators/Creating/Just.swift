extension ObservableType {
    /// A sequence of one element.
    ///
    ///     just(1): (1|)
    ///
    /// ![One element and the end](marble-just)
    ///
    /// Both events come before `subscribe` returns, on the subscribing thread. It cannot fail.
    ///
    /// [Pausing](doc:BoundedMemory): there is one element at most, and so nothing to pause.
    ///
    /// - Parameter element: what is sent.
    ///
    /// ## See Also
    ///
    /// - [just on reactivex.io](https://reactivex.io/documentation/operators/just.html)
    @inlinable
    @inline(never)
    public static func just(_ element: Element) -> Observable<Element> {
        Scalar(element)
    }

    /// A sequence of one element, sent by `scheduler`. Each of the two events is one action.
    ///
    ///     Observable.just(settings, scheduler: background)
    ///
    /// It cannot fail. Without a scheduler it is ``just(_:)``.
    ///
    /// [Pausing](doc:BoundedMemory): there is one element at most, and so nothing to pause.
    ///
    /// - Parameters:
    ///   - element: what is sent.
    ///   - scheduler: what sends it, and then the end.
    @inlinable
    @inline(never)
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        From(CollectionOfOne(element), scheduler)
    }
}
