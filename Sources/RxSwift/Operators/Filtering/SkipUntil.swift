extension ObservableType {
    /// The elements that the source sends after the first element of `other`.
    ///
    ///     source:             --1--2--3--4--|
    ///     other:              -------0-------
    ///     skip(until: other): --------3--4--|
    ///
    /// ![The elements after the first element of the other source](marble-skip-until)
    ///
    /// The two sequences may send on different threads at once.
    ///
    /// The source is subscribed to before `other`. The first element of `other` ends the subscription to `other`. If
    /// the source completes before that element, the result never ends. Otherwise the result completes with the source.
    /// An error of either sequence fails the result.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain; `other` continues.
    ///
    /// ## See Also
    ///
    /// - [skipuntil on reactivex.io](https://reactivex.io/documentation/operators/skipuntil.html)
    @inlinable
    @inline(never)
    public __consuming func skip(until other: some ObservableType) -> Observable<Element> {
        let (source, other) = (asObservable(), other.asObservable())
        return Observable { _, context in
            SkipUntilCoordinator(&context).subscribe(source, other)
            return nil
        }
    }

    /// Like ``skip(until:)``.
    @available(*, deprecated, renamed: "skip(until:)")
    @inlinable
    @inline(never)
    public func skipUntil(_ other: some ObservableType) -> Observable<Element> {
        skip(until: other)
    }
}

@usableFromInline
final class SkipUntilCoordinator<Output, Other>: Coordinator, SourceCoordinator, OtherCoordinator {
    /// Whether `other` has sent an element. Used only by the thread that owns the gate.
    @usableFromInline
    @exclusivity(unchecked)
    var isOpen = false

    @inlinable
    override init(_ context: inout SubscribeContext) {
        super.init(&context)
    }

    @inlinable
    @inline(__always)
    func next(_ element: Output) {
        if isOpen { deliver(element) }
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _: InnerLifetime) {
        if error != nil || isOpen { return end(error) }
        // As in RxSwift, the observer receives no completion.
        innerChains.dispose(key: nil)
    }

    @inlinable
    @inline(__always)
    func next(other _: Other, _ other: InnerLifetime) {
        isOpen = true
        innerChains.dispose(other)
    }
}
