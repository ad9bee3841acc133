import RxSwift

/// Connects a connectable sequence for its observers, and disposes of the connection when they have left.
///
/// An epoch is the time of one connection, including the wait for it. A *member* is one observer. It is counted before
/// it subscribes to the source. Otherwise the connection could be disposed of before this subscription, because no
/// observer is counted. If the source ends between the two steps, the member is counted for the next epoch.
///
/// With a grace period, a connection can continue without observers. During that time it has a *watch*: a subscription
/// that ends the epoch when the source ends. The next observer subscribes before the watch is disposed of, so no end is
/// missed.
///
/// Guards: `state` and the members are protected by the lock of `state`. No closure or disposal of another object runs
/// under the lock.
final class CountedConnection<Element>: @unchecked Sendable {  // because of the guard above
    final class Member: @unchecked Sendable {  // because of the guard above
        fileprivate var epoch = 0
        /// Whether the member has received the end.
        fileprivate var hasEnded = false
    }

    private struct State {
        var count = 0
        var epoch = 0
        var isConnected = false
        var connection: (any Disposable)?
        /// The watch and the timer of the grace period, while there is no observer.
        var absence: SingleAssignmentDisposable?

        /// Returns the watch and the timer, to be disposed of after the member has subscribed.
        mutating func enter(_ member: Member) -> (any Disposable)? {
            count += 1
            member.epoch = epoch
            return absence.take()
        }

        mutating func end() -> Ended {
            count = 0
            epoch += 1
            isConnected = false
            return Ended(connection: connection.take(), absence: absence.take())
        }
    }

    /// The remains of an ended epoch, to be disposed of after unlocking.
    private struct Ended {
        let connection: (any Disposable)?
        let absence: (any Disposable)?

        func dispose() {
            absence?.dispose()
            connection?.dispose()
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
            let absence = state.withLock { $0.enter(member) }
            nonisolated(unsafe) let subscription = source.subscribe { event in  // any thread may dispose of it
                // The epoch ends before the observer receives the terminal event, because the observer may then
                // subscribe again.
                let ended = event.isStopEvent ? self.end(member) : nil
                observer.on(event)
                ended?.dispose()
            }
            absence?.dispose()
            connect(for: member)
            return Disposables.create {
                subscription.dispose()
                self.leave(member)
            }
        }
    }

    /// Connects after a member has subscribed, if there are enough members and no connection.
    private func connect(for member: Member) {
        let (epoch, absence) = state.withLock { state -> (Int?, (any Disposable)?) in
            // If the source has ended since the member was counted, the member is counted again, for the next
            // connection.
            let absence = member.epoch != state.epoch && !member.hasEnded ? state.enter(member) : nil
            guard member.epoch == state.epoch, !state.isConnected, state.count >= minimum else { return (nil, absence) }
            state.isConnected = true
            return (state.epoch, absence)
        }
        absence?.dispose()
        guard let epoch else { return }
        let connection = connectSource()
        let isStale = state.withLock { state in
            guard state.epoch == epoch else { return true }
            state.connection = connection
            return false
        }
        if isStale { connection.dispose() }
    }

    private func watchEnd(of epoch: Int) -> any Disposable {
        source.subscribe { [weak self] event in
            guard event.isStopEvent, let self else { return }
            state.withLock { $0.epoch == epoch ? $0.end() : nil }?.dispose()
        }
    }

    private func leave(_ member: Member) {
        let (absence, epoch, ended) = state.withLock { state -> (SingleAssignmentDisposable?, Int, Ended?) in
            guard state.epoch == member.epoch else { return (nil, 0, nil) }
            state.count -= 1
            guard state.count == 0, state.isConnected else { return (nil, 0, nil) }
            guard grace != nil else { return (nil, 0, state.end()) }
            let absence = SingleAssignmentDisposable()
            state.absence = absence
            return (absence, state.epoch, nil)
        }
        ended?.dispose()
        guard let absence, let grace else { return }
        let watch = watchEnd(of: epoch)
        let timer = grace.scheduler.scheduleRelative((), dueTime: grace.span) { [self, weak absence] in
            if let absence { disconnect(absence) }
            return Disposables.create()
        }
        absence.setDisposable(Disposables.create(watch, timer))
    }

    /// Disposes of the connection if no observer has come during this absence.
    private func disconnect(_ absence: SingleAssignmentDisposable) {
        state.withLock { $0.absence === absence ? $0.end() : nil }?.dispose()
    }

    /// If the member belongs to the current epoch, ends the epoch and returns its remains.
    private func end(_ member: Member) -> Ended? {
        state.withLock { state in
            member.hasEnded = true
            return state.epoch == member.epoch ? state.end() : nil
        }
    }
}
