extension ObservableType {
    /// The elements of this sequence or, if there are none, those of `other`.
    ///
    ///     source:                   ----|
    ///     other:                        --9--|
    ///     ifEmpty(switchTo: other): ------9--|
    ///
    /// ![Another sequence in place of an empty one](marble-if-empty-switch-to)
    ///
    /// The thread that completes this sequence subscribes to `other`. Errors are passed on.
    ///
    /// [Pausing](doc:BoundedMemory): the current source pauses with the downstream chain. If this sequence completes
    /// during the pause, `other` starts paused.
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
        super.init { base, context in
            let me = unsafeDowncast(base, to: SwitchIfEmpty<Element>.self)
            if Scalar.element(of: me.source) != nil { return me.source }
            SwitchIfEmptyCoordinator(&context, me.other).subscribe(me.source)
            return nil
        }
    }
}

@usableFromInline
final class SwitchIfEmptyCoordinator<Element>: SequentialCoordinator<Element> {
    /// The second source; nil after the first element or the end of the first source. Used only by the thread that
    /// delivers the current source's events.
    @usableFromInline
    var other: Observable<Element>?

    @inlinable
    init(_ context: inout SubscribeContext, _ other: Observable<Element>) {
        self.other = other
        super.init(&context) {
            SequentialSink.begin($0, $1) { base, element in
                let inner = unsafeDowncast(base, to: SequentialSink<Element>.self)
                let me = unsafeDowncast(inner.coordinator, to: SwitchIfEmptyCoordinator<Element>.self)
                // `other` is set to nil before its old value is released, because the release may run user code that
                // sends an element.
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
