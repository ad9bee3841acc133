import RxSwift

extension ObservableType {
    /// Sends what `keyPath` leads to in each element.
    ///
    ///     source:         --"a"--"abc"--|
    ///     mapAt(\.count): --1----3------|
    ///
    /// ![A property of each element](marble-map-at)
    ///
    ///     people.mapAt(\.name)
    ///
    /// Events stay on the thread on which they come; an error is handed on.
    ///
    /// Pausing: the source pauses with what is below.
    @inlinable
    @inline(never)
    public func mapAt<Result>(_ keyPath: KeyPath<Element, Result>) -> Observable<Result> {
        nonisolated(unsafe) let keyPath = keyPath  // a key path does not change
        return map { $0[keyPath: keyPath] }
    }
}
