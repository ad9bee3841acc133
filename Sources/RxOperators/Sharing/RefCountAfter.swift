public import Dispatch
import RxSwift

extension ConnectableObservable {
    /// Connects when there are `count` observers, and disposes of the connection when the last one has left.
    ///
    ///     source:                       --1--2--3--|
    ///     publish().refCount(after: 1): --1--2--3--|
    ///
    /// ![One observer suffices here](marble-ref-count-after)
    ///
    /// The thread that subscribes observer number `count` also subscribes to the source. The thread on which the last
    /// observer leaves disposes of the source. The next connection needs `count` observers again. Events are delivered
    /// on the sending thread. An error or the completion goes to all observers.
    ///
    /// Pausing: a pause does not reach the source.
    ///
    /// - Parameter count: the number of observers to wait for; less than 1 counts as 1.
    public func refCount(after count: Int) -> Observable<Element> {
        counted(minimum: count)
    }

    /// Connects when there are `count` observers, and disposes of the connection when there has been no observer for
    /// `span`.
    ///
    ///     source:                                                             --1--2-----3--|
    ///     replay(1).refCount(disconnectAfter: 5 columns), an observer of one: --(1|)
    ///     replay(1).refCount(disconnectAfter: 5 columns), a later observer:   ------(^2)-3--|
    ///
    /// ![The connection outlives its first observer](marble-ref-count-disconnect-after)
    ///
    ///     prices.replay(1).refCount(disconnectAfter: .seconds(30), scheduler: scheduler)
    ///
    /// If the source ends while there is no observer, the next observers start a new connection. A connection without
    /// observers is disposed of on `scheduler`. Otherwise like ``refCount(after:)``.
    public func refCount(
        after count: Int = 1, disconnectAfter span: RxTimeInterval, scheduler: any SchedulerType
    ) -> Observable<Element> {
        counted(minimum: count, grace: (span, scheduler))
    }
}
