extension ObservableType {
    /// The elements of this sequence, or those of `other` when this one completes without any.
    ///
    ///     source:                   ----|
    ///     other:                        --9--|
    ///     ifEmpty(switchTo: other): ------9--|
    ///
    /// ![Another sequence in place of an empty one](marble-if-empty-switch-to)
    ///
    /// `other` is subscribed when this sequence has completed, on the thread that completes it.
    ///
    /// [Pausing](doc:BoundedMemory): the source that has its turn pauses with what is below; the next one is subscribed
    /// to as ever, and is paused from its start.
    ///
    /// ## See Also
    ///
    /// - [defaultifempty on reactivex.io](https://reactivex.io/documentation/operators/defaultifempty.html)
    @inlinable
    @inline(never)
    public __consuming func ifEmpty(switchTo other: Observable<Element>) -> Observable<Element> {
        SwitchIfEmpty(asObservable(), other)
    }
}

@usableFromInline
final class SwitchIfEmpty<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let other: Observable<Element>

    @inlinable
    init(_ source: Observable<Element>, _ other: Observable<Element>) {
        self.source = source
        self.other = other
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: SwitchIfEmpty<Element>.self)
            // One element is not none: there is nothing to switch to.
            if Scalar.element(of: me.source) != nil { return .passUnretained(me.source) }
            SwitchIfEmptyCoordinator(&assembly, me.other).subscribe(me.source)
            return nil
        }
    }
}

@usableFromInline
final class SwitchIfEmptyCoordinator<Element>: SequentialCoordinator<Element> {
    /// What is subscribed if nothing comes; nil once that is settled. The present source's.
    @usableFromInline
    var other: Observable<Element>?

    @inlinable
    init(_ assembly: inout Assembly, _ other: Observable<Element>) {
        self.other = other
        super.init(&assembly) {
            SequentialSink.begin($0, $1) { base, element in
                let inner = unsafeDowncast(base, to: SequentialSink<Element>.self)
                let me = unsafeDowncast(inner.coordinator, to: SwitchIfEmptyCoordinator<Element>.self)
                // Kept beyond the change, because what it holds may push an element as it goes.
                if me.other != nil { withExtendedLifetime(me.other.take()) {} }
                inner.pass(element)
            }
        }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        guard error == nil, let other = other.take() else { return end(error) }
        let empty = present
        subscribe(other)
        if let empty { innerChains.dispose(empty) }
    }
}
