extension ObservableType {
    /// The elements until `other` sends one.
    ///
    ///     source:             --1--2--3--4--|
    ///     other:              -------0-------
    ///     take(until: other): --1--2-|
    ///
    /// ![What comes before the other source fires](marble-take-until)
    ///
    /// Completes with the first element of `other`, whose completion changes nothing; fails with whichever of the two
    /// fails first. `other` is subscribed first. The two may fire from different threads at once; events are delivered
    /// one at a time.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below; the other one goes on.
    ///
    /// - Parameter other: says when; its element is not looked at.
    ///
    /// ## See Also
    ///
    /// - [takeuntil on reactivex.io](https://reactivex.io/documentation/operators/takeuntil.html)
    @inlinable
    @inline(never)
    public __consuming func take(until other: some ObservableType) -> Observable<Element> {
        let (source, other) = (asObservable(), other.asObservable())
        return Observable { _, assembly in
            TakeUntilCoordinator(&assembly).subscribe(source, other, otherFirst: true)
            return nil
        }
    }

    /// The elements until `other` sends one.
    ///
    /// As ``take(until:)``.
    ///
    /// - Parameter other: what ends the sequence.
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
    override init(_ assembly: inout Assembly) {
        super.init(&assembly)
    }

    @usableFromInline
    func ended(_ error: (any Error)?, _: InnerDisposer) {
        end(error)
    }

    @inlinable
    @inline(__always)
    func next(other _: Other, _: InnerDisposer) {
        end(nil)
    }
}
