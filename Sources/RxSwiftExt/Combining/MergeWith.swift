import RxSwift

extension Observable {
    /// The elements of this sequence and of `other`, in the order of arrival.
    ///
    ///     a:                --1-----3--|
    ///     b:                ----2--------4--|
    ///     a.merge(with: b): --1-2---3----4--|
    ///
    /// ![The elements of both sources as they come](marble-merge-with)
    ///
    /// Completes when both have completed; fails with the first error. The sources may send from different threads at
    /// once.
    ///
    /// Pausing: all sources pause with the downstream chain, and resume one after the other.
    ///
    /// - Parameter other: subscribed to after this sequence.
    @inlinable
    @inline(never)
    public func merge(with other: Observable<Element>) -> Observable<Element> {
        Observable.merge(self, other)
    }

    /// Merges this sequence and `others`. See ``merge(with:)-(Observable<Element>)``.
    @inlinable
    @inline(never)
    public func merge(with others: [Observable<Element>]) -> Observable<Element> {
        Observable.merge([self] + others)
    }
}
