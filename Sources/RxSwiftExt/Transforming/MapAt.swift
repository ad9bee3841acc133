import RxSwift

extension ObservableType {
    /// Sends the value at `keyPath` of each element.
    ///
    ///     source:         --"a"--"abc"--|
    ///     mapAt(\.count): --1----3------|
    ///
    /// ![A property of each element](marble-map-at)
    ///
    ///     people.mapAt(\.name)
    ///
    /// Events are delivered on the sending thread; an error is passed on.
    ///
    /// Pausing: the source pauses with the downstream chain.
    @inlinable
    @inline(never)
    public func mapAt<Result>(_ keyPath: KeyPath<Element, Result>) -> Observable<Result> {
        nonisolated(unsafe) let keyPath = keyPath  // a key path does not change
        return map { $0[keyPath: keyPath] }
    }
}
