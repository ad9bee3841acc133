import RxSwift

extension ObservableType {
    /// All elements in order, when the sequence completes.
    ///
    ///     source:               --3--1--2--|
    ///     toSortedArray(by: <): -----------([1,2,3]|)
    ///
    /// ![All elements in order, when the source completes](marble-to-sorted-array)
    ///
    /// It keeps all elements until then. Elements of equal order keep the order in which they came. The array comes on
    /// the thread on which the source completes; an error drops what is kept.
    ///
    /// Pausing: nothing is sent before the end, so nothing below pauses the source.
    ///
    /// - Parameter by: whether its first argument belongs before its second.
    @inlinable
    @inline(never)
    @preconcurrency
    public func toSortedArray(by: @escaping @Sendable (Element, Element) -> Bool) -> Single<[Element]> {
        toArray().map { $0.sorted(by: by) }
    }
}

extension ObservableType where Element: Comparable {
    /// All elements in order, when the sequence completes. See ``toSortedArray(by:)``.
    @inlinable
    @inline(never)
    public func toSortedArray(ascending: Bool = true) -> Single<[Element]> {
        toArray().map(unchecked { ascending ? $0.sorted(by: <) : $0.sorted(by: >) })
    }
}
