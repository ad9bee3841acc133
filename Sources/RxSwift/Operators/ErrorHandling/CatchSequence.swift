extension ObservableType {
    /// The elements of the first source. After each error, continues with the next source, until a source completes.
    ///
    ///     a:                        --1--#
    ///     b:                             --2--|
    ///     catch(sequence: [a, b]):  --1----2--|
    ///
    /// ![The next source after each error](marble-catch-sequence)
    ///
    /// After an error, the next source is taken from `sequence`. ``ObservableType/retry()`` describes which thread
    /// subscribes to it. The result fails with the error of the last source.
    ///
    /// [Pausing](doc:BoundedMemory): like ``ObservableType/retry()``.
    ///
    /// - Parameter sequence: the sources, possibly infinitely many. Each subscription makes an iterator.
    ///
    /// ## See Also
    ///
    /// - [catch on reactivex.io](https://reactivex.io/documentation/operators/catch.html)
    @inlinable
    @inline(never)
    public static func `catch`<Sequence: Swift.Sequence>(sequence: Sequence) -> Observable<Element>
    where Sequence.Element == Observable<Element> {
        CatchSequence(sequence)
    }

    /// Like ``catch(sequence:)``.
    @available(*, deprecated, renamed: "catch(sequence:)")
    @inlinable
    @inline(never)
    public static func catchError<Sequence: Swift.Sequence>(_ sequence: Sequence) -> Observable<Element>
    where Sequence.Element == Observable<Element> {
        CatchSequence(sequence)
    }
}

@usableFromInline
final class CatchSequence<Element, Sources: Sequence>: Observable<Element>, @unchecked Sendable  // immutable
where Sources.Element == Observable<Element> {
    @usableFromInline
    let sources: Sources

    @inlinable
    init(_ sources: Sources) {
        self.sources = sources
        super.init { base, context in
            let me = unsafeDowncast(base, to: CatchSequence<Element, Sources>.self)
            var sources = me.sources.makeIterator()
            CatchSequenceCoordinator<Element>(&context) { sources.next() }.advance()
            return nil
        }
    }
}

@usableFromInline
final class CatchSequenceCoordinator<Element>: SequentialCoordinator<Element> {
    /// Returns the next source; called only by the thread that processes the calls of `advance`.
    @usableFromInline
    let sources: () -> Observable<Element>?
    /// The last source's error, written by the thread that ends the source, before the call of `advance`.
    @usableFromInline
    var lastError: (any Error)?

    @inlinable
    init(_ context: inout SubscribeContext, _ sources: @escaping () -> Observable<Element>?) {
        self.sources = sources
        super.init(&context)
    }

    @usableFromInline
    override func next() -> Observable<Element>? { sources() }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        guard let error else { return end(nil) }
        lastError = error
        advance()
    }

    @usableFromInline
    override func exhausted() {
        end(lastError)
    }
}
