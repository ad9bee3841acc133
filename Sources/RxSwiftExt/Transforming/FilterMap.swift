import RxSwift

/// The result of `filterMap(_:)` for an element.
public enum FilterMap<Result> {
    /// Drops the element.
    case ignore
    /// Sends this value.
    case map(Result)
}

extension ObservableType {
    /// Transforms each element, or drops it.
    ///
    ///     source:                                      --1--2--3--|
    ///     filterMap { $0 == 2 ? .map("2") : .ignore }: -----"2"---|
    ///
    /// ![One element ignored, one mapped, one ignored](marble-filter-map)
    ///
    ///     numbers.filterMap { $0.isMultiple(of: 2) ? .map("\($0)") : .ignore }
    ///
    /// Like `compactMap`, but the results may be optionals.
    ///
    /// Pausing: the source pauses with the downstream chain.
    ///
    /// - Parameter transform: called with each element, on the delivering thread. If it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public func filterMap<Result>(
        _ transform: @escaping @Sendable (Element) throws -> FilterMap<Result>
    ) -> Observable<Result> {
        compactMap { element in
            switch try transform(element) {
            case .ignore: .none
            case .map(let result): .some(result)
            }
        }
    }
}
