import RxSwift

extension ObservableType {
    /// Keeps what comes while the latest element of `pauser` is not `true`, and sends it once it is.
    ///
    ///     source:                             --1--2-----------3--|
    ///     pauser:                             --------true---------
    ///     pausableBuffered(pauser, limit: 2): --------(12)-----3--|
    ///
    /// ![What came during the pause, once it is over](marble-pausable-buffered)
    ///
    /// It is paused until `pauser` has sent `true`. It ends as soon as either of the two does: what is kept then is
    /// sent before the end of the source if the flags say so, and dropped at the end of `pauser`. `pauser` is
    /// subscribed first.
    ///
    /// The two may fire from different threads at once; results are delivered one at a time. What the source sends from
    /// within a delivery of kept elements comes after them, and what `pauser` sends there holds for those that are
    /// left. (In RxSwiftExt the first is lost and the second overheard.) No event allocates anything; the buffer grows
    /// as it is needed. In a bounded subscription the source pauses with the result, and `pauser` goes on: what is kept
    /// is sent when it says so, and as long as the result is not paused; the rest goes with the resume, and the end of
    /// the source behind it.
    ///
    /// - Parameters:
    ///   - pauser: `true` resumes, `false` pauses.
    ///   - limit: how many elements are kept; with one more the oldest is dropped. Nil for all, 0 for none.
    ///   - flushOnCompleted: whether what is kept is sent when the source completes.
    ///   - flushOnError: whether what is kept is sent when the source fails.
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
