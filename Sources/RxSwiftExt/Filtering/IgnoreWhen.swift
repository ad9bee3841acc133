import RxSwift

extension ObservableType {
    /// Drops the elements that satisfy `predicate`: the opposite of `filter`.
    ///
    ///     source:                --1--2--3--|
    ///     ignoreWhen { $0 > 1 }: --1--------|
    ///
    /// ![Elements that satisfy the predicate are left out](marble-ignore-when)
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter predicate: called with each element, on the delivering thread. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public func ignoreWhen(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Observable<Element> {
        filter { try !predicate($0) }
    }
}
