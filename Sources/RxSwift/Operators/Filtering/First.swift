extension ObservableType {
    /// The first element, or nil where the source completes without one.
    ///
    ///     source:  --1--2--3--|
    ///     first(): --(1|)
    ///
    /// The source is disposed at its first element.
    @inlinable
    @inline(never)
    public __consuming func first() -> Single<Element?> {
        PrimitiveSequence(raw: FirstProducer(asObservable()))
    }
}

/// The first element of the source, or nil where it completes without one; then completes.
@usableFromInline
final class FirstProducer<Element>: Observable<Element?>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>

    @inlinable
    init(_ source: Observable<Element>) {
        self.source = source
        super.init { base, assembly in
            assembly.sink = FirstSink<Element>(assembly.sink(of: Element?.self))
            return .passUnretained(unsafeDowncast(base, to: FirstProducer<Element>.self).source)
        }
    }
}

@usableFromInline
final class FirstSink<Element>: Stage<Element, Element?> {
    /// Guarded by the gate above.
    @usableFromInline
    @exclusivity(unchecked)
    var ended = false

    @inlinable
    init(_ down: Sink<Element?>) {
        super.init(down: down) { base, element in
            unsafeDowncast(base, to: FirstSink<Element>.self).finish(with: element)
        }
    }

    @usableFromInline
    func finish(with element: Element?) {
        guard !ended else { return }
        ended = true
        deliver(element)
        super.end(nil)
    }

    @usableFromInline
    override func end(_ error: (any Error)?) {
        guard let error else { return finish(with: nil) }
        guard !ended else { return }
        ended = true
        super.end(error)
    }
}
