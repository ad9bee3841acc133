import RxSwift

extension ObservableType {
    /// Leaves out what comes while the latest element of `pauser` is not `true`.
    ///
    ///     source:           --1-----2-----3-------4--|
    ///     pauser:           -----true--------false----
    ///     pausable(pauser): --------2-----3----------|
    ///
    /// ![What comes while the pauser says true](marble-pausable)
    ///
    /// It is paused until `pauser` has sent `true`. Completes with the source; fails with whichever of the two fails
    /// first. `pauser` is subscribed first; its completion changes nothing, and its last element stays in force.
    ///
    /// The two may fire from different threads at once; results are delivered one at a time.
    @inlinable
    @inline(never)
    public func pausable<Pauser: ObservableType>(_ pauser: Pauser) -> Observable<Element> where Pauser.Element == Bool {
        withLatestFrom(pauser) { element, isResumed -> Element? in isResumed ? .some(element) : .none }.compactMap {
            $0
        }
    }
}
