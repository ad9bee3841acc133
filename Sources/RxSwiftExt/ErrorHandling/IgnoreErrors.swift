import RxSwift

extension ObservableType {
    /// Like `ObservableType.retry()`.
    ///
    ///     readings.ignoreErrors()
    @inlinable
    @inline(never)
    public func ignoreErrors() -> Observable<Element> {
        retry()
    }

    /// Subscribes again after each error for which `predicate` returns `true`.
    ///
    ///     source:                          --1--#
    ///     the second time:                      --1--#
    ///     the third time:                            --1--
    ///     ignoreErrors { isHarmless($0) }: --1----1----1--
    ///
    /// ![The source once more after each error that is harmless](marble-ignore-errors)
    ///
    /// Otherwise like `ObservableType.retry()`.
    ///
    /// - Parameter predicate: called with each error. If it returns `false`, the result fails with the error.
    @inlinable
    @inline(never)
    @preconcurrency
    public func ignoreErrors(_ predicate: @escaping @Sendable (any Error) -> Bool) -> Observable<Element> {
        retry(when: { (errors: Observable<any Error>) in
            errors.map { error in
                if !predicate(error) { throw error }
            }
        })
    }
}
