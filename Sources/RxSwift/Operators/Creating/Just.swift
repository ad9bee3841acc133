extension ObservableType {
    /// A sequence of one element.
    ///
    ///     just(1): (1|)
    ///
    /// ![One element and the end](marble-just)
    ///
    /// Both events come before `subscribe` returns, on the subscribing thread.
    @inlinable
    @inline(never)
    public static func just(_ element: Element) -> Observable<Element> {
        Scalar(element)
    }

    /// A sequence of one element, sent by `scheduler`. Each of the two events is one action.
    @inlinable
    @inline(never)
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Observable<Element> {
        From(CollectionOfOne(element), scheduler)
    }
}
