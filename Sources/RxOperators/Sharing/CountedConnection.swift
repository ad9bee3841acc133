import RxSwift

/// Connects a connectable sequence for its observers, and disposes of the connection when they have left.
///
/// An epoch is the time of one connection, including the wait for it. An observer is counted before it subscribes to
/// the source. So the connection is not disposed of for lack of observers in between. If the source ends in between,
/// the observer is counted for the next epoch.
///
/// Guards: `state` and the members are protected by the lock of `state`. No closure or disposal of another
/// object runs under it.
final class CountedConnection<Element>: @unchecked Sendable {  // because of the guard above
    /// An observer.
    final class Member: @unchecked Sendable {  // because of the guard above
        fileprivate var epoch = 0
        /// Whether the member has received the end.
        fileprivate var hasEnded = false
    }

    private struct State {
        var count = 0
        var epoch = 0
        /// The number of times that the last observer has left.
        var departures = 0
        var isConnected = false
        var connection: (any Disposable)?

        mutating func enter(_ member: Member) {
            count += 1
            member.epoch = epoch
        }

        /// Begins the next epoch and returns the old connection.
        mutating func end() -> (any Disposable)? {
            count = 0
            epoch += 1
            isConnected = false
            return connection.take()
        }
    }

    private let source: Observable<Element>
    private let connectSource: () -> any Disposable
    private let minimum: Int
    private let grace: (span: RxTimeInterval, scheduler: any SchedulerType)?
    private let state = Locked(State())

    init<Source: ConnectableObservableType>(
        _ source: Source, minimum: Int, grace: (span: RxTimeInterval, scheduler: any SchedulerType)?
    ) where Source.Element == Element {
        self.source = source.asObservable()
        connectSource = source.connect
        self.minimum = minimum
        self.grace = grace
    }

    var observable: Observable<Element> {
        .create { [self] observer in
            let member = Member()
            state.withLock { $0.enter(member) }
            nonisolated(unsafe) let subscription = source.subscribe { event in  // any thread may dispose of it
                // The epoch ends before the observer receives the terminal event, because the observer may subscribe
                // again in this call.
                let ended = event.isStopEvent ? self.end(member) : nil
                observer.on(event)
                ended?.dispose()
            }
            connect(for: member)
            return Disposables.create {
                subscription.dispose()
                self.leave(member)
            }
        }
    }

    /// Connects after a member has subscribed, if there are enough members and no connection.
    private func connect(for member: Member) {
        let epoch: Int? = state.withLock { state in
            // If the source has ended since the member was counted, the next connection feeds the member.
            if member.epoch != state.epoch, !member.hasEnded { state.enter(member) }
            guard member.epoch == state.epoch, !state.isConnected, state.count >= minimum else { return nil }
            state.isConnected = true
            return state.epoch
        }
        guard let epoch else { return }
        let connection = connectSource()
        let isStale = state.withLock { state in
            guard state.epoch == epoch else { return true }
            state.connection = connection
            return false
        }
        if isStale { connection.dispose() }
    }

    private func leave(_ member: Member) {
        let (left, connection): (Int?, (any Disposable)?) = state.withLock { state in
            guard state.epoch == member.epoch else { return (nil, nil) }
            state.count -= 1
            guard state.count == 0, state.isConnected else { return (nil, nil) }
            guard grace != nil else { return (nil, state.end()) }
            state.departures += 1
            return (state.departures, nil)
        }
        connection?.dispose()
        guard let left, let grace else { return }
        _ = grace.scheduler.scheduleRelative((), dueTime: grace.span) { [self] in
            disconnect(left)
            return Disposables.create()
        }
    }

    /// Disposes of the connection if no observer has come since the last one left.
    private func disconnect(_ departure: Int) {
        let connection = state.withLock { state -> (any Disposable)? in
            state.count == 0 && state.departures == departure ? state.end() : nil
        }
        connection?.dispose()
    }

    /// Records that a member has ended. If it belongs to the current epoch, ends the epoch and returns the connection
    /// to dispose of.
    private func end(_ member: Member) -> (any Disposable)? {
        state.withLock { state in
            member.hasEnded = true
            return state.epoch == member.epoch ? state.end() : nil
        }
    }
}
