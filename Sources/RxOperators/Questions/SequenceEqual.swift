import RxSwift

extension ObservableType {
    /// Whether this sequence and `other` have the same number of elements, with equivalent elements at each position.
    ///
    ///     names.sequenceEqual(Observable.of("a", "b")) { $0.lowercased() == $1 }
    ///
    /// Both sequences are disposed of at the first difference. They may send on several threads at once. The answer is
    /// delivered on the thread that sends the deciding event. An error of either sequence is passed on at once.
    ///
    /// If one sequence is ahead of the other, its additional elements wait without a bound, as in `zip`.
    ///
    /// Pausing: nothing is sent before the end. In a bounded subscription, a sequence pauses when its waiting elements
    /// reach the bound.
    ///
    /// - Parameters:
    ///   - other: the other sequence, subscribed to after this one.
    ///   - areEquivalent: called with two elements at the same position. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func sequenceEqual<Other: ObservableConvertibleType>(
        _ other: Other, by areEquivalent: @escaping @Sendable (Element, Other.Element) throws -> Bool
    ) -> Single<Bool> {
        sequenceEqualUnchecked(other, by: areEquivalent)
    }

    @inlinable
    __consuming func sequenceEqualUnchecked<Other: ObservableConvertibleType>(
        _ other: Other, by areEquivalent: @escaping (Element, Other.Element) throws -> Bool
    ) -> Single<Bool> {
        nonisolated(unsafe) let areEquivalent = areEquivalent  // any thread may call it
        // Nil marks the end. It is compared like an element.
        let marked = asObservable().map(Optional.some).concat(Observable.just(nil))
        let others = other.asObservable().map(Optional.some).concat(Observable.just(nil))
        return Observable<Bool>.zip(marked, others) { element, other in
            guard let element, let other else { return element == nil && other == nil }
            return try areEquivalent(element, other)
        }
        .allSatisfy { $0 }
    }
}

extension ObservableType where Element: Equatable {
    /// Whether this sequence and `other` send the same elements in the same order.
    ///
    ///     source:               --1--2-----|
    ///     other:                ----1--2-|
    ///     sequenceEqual(other): -----------(true|)
    ///
    /// ![True when both have completed with the same elements](marble-sequence-equal)
    ///
    ///     source:               --1--2-----3--
    ///     other:                ----1--3------
    ///     sequenceEqual(other): -------(false|)
    ///
    /// ![False at the first difference](marble-sequence-equal-false)
    ///
    /// See ``sequenceEqual(_:by:)``.
    ///
    /// ## See Also
    ///
    /// - [sequenceequal on reactivex.io](https://reactivex.io/documentation/operators/sequenceequal.html)
    @inlinable
    @inline(never)
    public __consuming func sequenceEqual<Other: ObservableConvertibleType>(_ other: Other) -> Single<Bool>
    where Other.Element == Element {
        sequenceEqualUnchecked(other, by: ==)
    }
}
