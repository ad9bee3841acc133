extension ObservableType {
    /// The elements that come before `other` sends its first element.
    ///
    ///     source:             --1--2--3--4--|
    ///     other:              -------0-------
    ///     take(until: other): --1--2-|
    ///
    /// ![The elements before the first element of the other source](marble-take-until)
    ///
    /// The two sequences may send on different threads at once.
    ///
    /// `other` is subscribed to before the source. The first element of `other` completes the result; a completion of
    /// `other` has no effect. An error of either sequence fails the result.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with the downstream chain; `other` continues.
    ///
    /// ## See Also
    ///
    /// - [takeuntil on reactivex.io](https://reactivex.io/documentation/operators/takeuntil.html)
    @inlinable
    @inline(never)
    public __consuming func take(until other: some ObservableType) -> Observable<Element> {
        let (source, other) = (asObservable(), other.asObservable())
        return Observable { _, context in
            TakeUntilCoordinator(&context).subscribe(source, other, otherFirst: true)
            return nil
        }
    }

    /// Like ``take(until:)``.
    @available(*, deprecated, renamed: "take(until:)")
    @inlinable
    @inline(never)
    public func takeUntil(_ other: some ObservableType) -> Observable<Element> {
        take(until: other)
    }
}

@usableFromInline
final class TakeUntilCoordinator<Output, Other>: Coordinator, SourceCoordinator, OtherCoordinator {
    @inlinable
    override init(_ context: inout SubscribeContext) {
        super.init(&context)
    }

    @inlinable
    @inline(__always)
    func next(other _: Other, _: InnerLifetime) {
        end(nil)
    }
}
