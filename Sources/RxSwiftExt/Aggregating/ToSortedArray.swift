import RxSwift

extension ObservableType {
    /// When the sequence completes, sends a sorted array of all elements.
    ///
    ///     source:               --3--1--2--|
    ///     toSortedArray(by: <): -----------([1,2,3]|)
    ///
    /// ![All elements in order, when the source completes](marble-to-sorted-array)
    ///
    /// The sort is stable. The array is delivered on the thread that completes the source. If the source fails, the
    /// elements are dropped.
    ///
    /// Pausing: the source never pauses.
    ///
    /// - Parameter by: returns whether its first argument comes before the second.
    @inlinable
    @inline(never)
    @preconcurrency
    public func toSortedArray(by: @escaping @Sendable (Element, Element) -> Bool) -> Single<[Element]> {
        toArray().map { $0.sorted(by: by) }
    }
}

extension ObservableType where Element: Comparable {
    /// Sorts in ascending order, or in descending order if `ascending` is false. See ``toSortedArray(by:)``.
    @inlinable
    @inline(never)
    public func toSortedArray(ascending: Bool = true) -> Single<[Element]> {
        PrimitiveSequence(
            raw: toArray().asObservable().mapUnchecked { ascending ? $0.sorted(by: <) : $0.sorted(by: >) })
    }
}
