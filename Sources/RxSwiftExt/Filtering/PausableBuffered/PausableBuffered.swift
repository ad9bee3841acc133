import RxSwift

extension ObservableType {
    /// Keeps the elements that come while the latest element of `pauser` is not `true`. Sends them after the next
    /// `true`.
    ///
    ///     source:                             --1--2-----------3--|
    ///     pauser:                             --------true---------
    ///     pausableBuffered(pauser, limit: 2): --------(12)-----3--|
    ///
    /// ![The elements of the pause, after its end](marble-pausable-buffered)
    ///
    /// The result ends when the source or `pauser` ends. At the end of `pauser`, the kept elements are dropped.
    /// `pauser` is subscribed to first.
    ///
    /// The two sequences may send from several threads at once; results are delivered one at a time. If the source
    /// sends during the delivery of kept elements, the new element is sent after them. If `pauser` sends `false` during
    /// such a delivery, the remaining elements are kept. (RxSwiftExt loses the new element, and ignores this `false`.)
    ///
    /// In a bounded subscription, the source pauses with the result, but `pauser` does not. After a `true`, kept
    /// elements are sent until the result pauses. The remaining elements and the end of the source are sent at the
    /// resume.
    ///
    /// - Parameters:
    ///   - pauser: `true` resumes, `false` pauses.
    ///   - limit: the maximum number of kept elements; a further element replaces the oldest. Nil for no limit.
    ///   - flushOnCompleted: whether the kept elements are sent when the source completes.
    ///   - flushOnError: whether the kept elements are sent when the source fails.
    @inlinable
    @inline(never)
    public func pausableBuffered<Pauser: ObservableType>(
        _ pauser: Pauser, limit: Int? = 1, flushOnCompleted: Bool = true, flushOnError: Bool = true
    ) -> Observable<Element> where Pauser.Element == Bool {
        let source = asObservable()
        return .coordinated { result in
            let valve = Valve(result, limit: limit, flushOnCompleted: flushOnCompleted, flushOnError: flushOnError)
            result.onResume { [weak valve] in valve?.flush() }
            result.subscribe(source, { valve.take($0) }, behind: pauser.asObservable(), { valve.take(pauser: $0) })
            return Disposables.create()
        }
    }
}
