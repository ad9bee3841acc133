extension ObservableType {
    /// The elements after the first that `other` sends.
    ///
    ///     source:             --1--2--3--4--|
    ///     other:              -------0-------
    ///     skip(until: other): --------3--4--|
    ///
    /// ![What comes after the other source has fired](marble-skip-until)
    ///
    /// Completes with the source, but never if `other` has sent nothing by then; fails with whichever of the two fails
    /// first. `other` is disposed of at its first element: what it sends after that, an error included, is not heard,
    /// however it comes. The source is subscribed first. The two may fire from different threads at once; events are
    /// delivered one at a time.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; the other one goes on.
    ///
    /// - Parameter other: says when; its element is not looked at.
    ///
    /// ## See Also
    ///
    /// - [skipuntil on reactivex.io](https://reactivex.io/documentation/operators/skipuntil.html)
    @inlinable
    @inline(never)
    public __consuming func skip(until other: some ObservableType) -> Observable<Element> {
        let (source, other) = (asObservable(), other.asObservable())
        return Observable { _, assembly in
            SkipUntilCoordinator(&assembly).subscribe(source, other)
            return nil
        }
    }

    /// The elements after the first that `other` sends.
    ///
    /// As ``skip(until:)``.
    ///
    /// - Parameter other: what opens the way.
    @available(*, deprecated, renamed: "skip(until:)")
    @inlinable
    @inline(never)
    public func skipUntil(_ other: some ObservableType) -> Observable<Element> {
        skip(until: other)
    }
}

@usableFromInline
final class SkipUntilCoordinator<Output, Other>: Coordinator, SourceCoordinator, OtherCoordinator {
    /// The gate's owner's.
    @usableFromInline
    @exclusivity(unchecked)
    var isOpen = false

    @inlinable
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    @inlinable
    @inline(__always)
    func next(_ element: Output) {
        if isOpen { deliver(element) }
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _: InnerDisposer) {
        if error != nil || isOpen { return end(error) }
        // Nothing will come any more, and the observer is not told: RxSwift's way.
        innerChains.dispose(key: nil)
    }

    @inlinable
    @inline(__always)
    func next(other _: Other, _ other: InnerDisposer) {
        isOpen = true
        innerChains.dispose(other)
    }
}
