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
        return WhereBounded(source, bounded(source))
    }
}

/// One of two, as the scope of the subscription says.
private final class WhereBounded<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    private let source: Observable<Element>
    private let bounded: Observable<Element>

    init(_ source: Observable<Element>, _ bounded: Observable<Element>) {
        self.source = source
        self.bounded = bounded
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: WhereBounded<Element>.self)
            return .passUnretained(assembly.isInScope ? me.bounded : me.source)
        }
    }
}
