import RxSwift

extension ObservableType {
    /// Drops the elements that come while the latest element of `pauser` is not `true`.
    ///
    ///     source:           --1-----2-----3-------4--|
    ///     pauser:           -----true--------false----
    ///     pausable(pauser): --------2-----3----------|
    ///
    /// ![The elements that come while the latest pauser element is true](marble-pausable)
    ///
    /// The result completes with the source, and fails with the first error of the source or `pauser`. `pauser` is
    /// subscribed to first. After the completion of `pauser`, its last element stays in effect. The two sequences may
    /// send from several threads at once; results are delivered one at a time.
    ///
    /// Pausing: the source pauses with the downstream chain; `pauser` continues.
    @inlinable
    @inline(never)
    public func pausable<Pauser: ObservableType>(_ pauser: Pauser) -> Observable<Element> where Pauser.Element == Bool {
        withLatestFrom(pauser) { element, isResumed -> Element? in isResumed ? .some(element) : .none }.compactMap {
            $0
        }
    }
}
