extension ObservableType {
    /// What `bounded` makes of the source, for a subscription that something below may pause; for any other, the source
    /// itself.
    ///
    /// [Pausing](doc:BoundedMemory): as what `bounded` makes.
    ///
    /// - Parameter bounded: makes it, once, for all subscriptions.
    @_spi(RxServer)
    public func whereBounded(_ bounded: (Observable<Element>) -> Observable<Element>) -> Observable<Element> {
        let source = asObservable()
        let bounded = bounded(source)
        return Observable { _, assembly in .passUnretained(assembly.isInScope ? bounded : source) }
    }
}
