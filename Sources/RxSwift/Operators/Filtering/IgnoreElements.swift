extension ObservableType {
    /// Only the terminal event.
    ///
    ///     source:           --1--2--|
    ///     ignoreElements(): --------|
    public func ignoreElements() -> Observable<Never> {
        IgnoreElementsProducer(asObservable())
    }
}

private final class IgnoreElementsProducer<Element>: Observable<Never>, @unchecked Sendable {  // immutable
    let source: Observable<Element>

    init(_ source: Observable<Element>) {
        self.source = source
        super.init { base, assembly in
            assembly.sink = Stage<Element, Never>(down: assembly.sink(of: Never.self)) { _, _ in }
            return .passUnretained(unsafeDowncast(base, to: IgnoreElementsProducer<Element>.self).source)
        }
    }
}
