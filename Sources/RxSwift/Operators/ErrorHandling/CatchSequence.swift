extension ObservableType {
    /// The elements of the first source, and when that fails those of the next, until one completes.
    ///
    ///     a:                        --1--#
    ///     b:                             --2--|
    ///     catch(sequence: [a, b]):  --1----2--|
    ///
    /// ![The next source after the error of the one before](marble-catch-sequence)
    ///
    /// A source is taken from the sequence and subscribed when the one before it has failed; the error of the last one
    /// ends the result.
    ///
    /// It is subscribed on the thread on which the one before has failed, or on the subscribing one where that was
    /// within `subscribe`.
    ///
    /// [Pausing](doc:BoundedMemory): the source that has its turn pauses with what is below; the next one is subscribed
    /// to as ever, and is paused from its start. Sources that fail while they are subscribed to cannot pause: one of
    /// them has its turn in a pause.
    ///
    /// - Parameter sequence: the sources; it may be endless. Each subscription makes an iterator of its own.
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

    /// The elements of the first source, and when that fails those of the next, until one completes.
    ///
    /// As ``catch(sequence:)``.
    ///
    /// - Parameter sequence: the sources.
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
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: CatchSequence<Element, Sources>.self)
            var sources = me.sources.makeIterator()
            CatchSequenceCoordinator<Element>(&assembly) { sources.next() }.advance()
            return nil
        }
    }
}

@usableFromInline
final class CatchSequenceCoordinator<Element>: SequentialCoordinator<Element> {
    /// Guarded as `next` is.
    @usableFromInline
    let sources: () -> Observable<Element>?
    /// Guarded as `next` is.
    @usableFromInline
    var lastError: (any Error)?

    @inlinable
    init(_ assembly: inout Assembly, _ sources: @escaping () -> Observable<Element>?) {
        self.sources = sources
        super.init(&assembly)
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
