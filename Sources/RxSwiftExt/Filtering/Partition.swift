import RxCocoa
import RxSwift

extension ObservableType {
    /// The elements that satisfy `predicate`, and the elements that do not.
    ///
    ///     source:     --1--2--3--4--|
    ///     matches:    -----2-----4--|     predicate: { $0.isMultiple(of: 2) }
    ///     nonMatches: --1-----3-----|
    ///
    /// ![The even numbers and the odd ones](marble-partition)
    ///
    /// Both results share one subscription to the source. It begins with the first observer of either result and ends
    /// when neither has an observer. Elements that the source sends before its `subscribe` returns go only to the first
    /// observer. To avoid this, use `publish()`, and connect when both results have an observer.
    ///
    /// Pausing: a pause does not reach the source.
    ///
    /// - Parameter predicate: called once with each element, on the delivering thread. If it throws, both results fail.
    @inlinable
    @inline(never)
    @preconcurrency
    public func partition(
        _ predicate: @escaping @Sendable (Element) throws -> Bool
    ) -> (matches: Observable<Element>, nonMatches: Observable<Element>) {
        let sorted = map { (element: $0, isMatch: try predicate($0)) }.share()
        return (
            matches: sorted.compactMap { $0.isMatch ? .some($0.element) : .none },
            nonMatches: sorted.compactMap { $0.isMatch ? .none : .some($0.element) }
        )
    }
}

extension SharedSequence {
    /// Like `ObservableType.partition(_:)`. `predicate` is called once with each element, if both results share a
    /// subscription.
    @inlinable
    @preconcurrency
    public func partition(
        _ predicate: @escaping @Sendable (Element) -> Bool
    ) -> (matches: SharedSequence<SharingStrategy, Element>, nonMatches: SharedSequence<SharingStrategy, Element>) {
        let sorted = SharedSequence<SharingStrategy, (element: Element, isMatch: Bool)>(
            asObservable().map { (element: $0, isMatch: predicate($0)) })
        return (
            matches: SharedSequence(sorted.asObservable().compactMap { $0.isMatch ? .some($0.element) : .none }),
            nonMatches: SharedSequence(sorted.asObservable().compactMap { $0.isMatch ? .none : .some($0.element) })
        )
    }
}
