extension ObservableType {
    /// The result of `bounded` for a subscription that can be paused from below; the source itself for any other.
    ///
    /// [Pausing](doc:BoundedMemory): as the result of `bounded`.
    ///
    /// - Parameter bounded: makes that sequence, once, for all subscriptions.
    @_spi(RxServer)
    public func whereBounded(_ bounded: (Observable<Element>) -> Observable<Element>) -> Observable<Element> {
        let source = asObservable()
        let bounded = bounded(source)
        return Observable { _, context in .passUnretained(context.isInScope ? bounded : source) }
    }
}
