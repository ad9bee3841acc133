import RxSwift

extension ObservableType where Element: Collection {
    /// Transforms each member of each collection.
    ///
    ///     source:             --[1, 2]--[3]--|
    ///     mapMany { $0 * 2 }: --[2, 4]--[6]--|
    ///
    /// ![Each number of each array twice as large](marble-map-many)
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter transform: called with each member, on the delivering thread. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public func mapMany<Result>(
        _ transform: @escaping @Sendable (Element.Element) throws -> Result
    ) -> Observable<[Result]> {
        mapUnchecked { try $0.map(transform) }
    }
}
