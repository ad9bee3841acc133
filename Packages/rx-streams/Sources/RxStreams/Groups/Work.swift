public import Dispatch
public import RxResilience
public import RxSwift

extension DurableStream {
    /// Handles the elements of the stream, divided among all that work in the same group, and sends what became of
    /// each.
    ///
    /// ```swift
    /// orders.work(as: "billing", concurrency: 16, attempts: 8) { order in try await charge(order) }
    ///     .subscribe(onNext: { if case .dead(let order, let why) = $0 { log(order.id, why) } }, onError: report)
    /// ```
    ///
    /// An element is acknowledged when the handler returns, delivered again after a pause when it throws, and sent to
    /// the dead letters after so many attempts; its deadline is extended while the handler runs. At least once: a
    /// handler may see an element again that it has handled, and has to be idempotent. Its id, or its position, tells.
    /// What comes again to this subscription while it has it, because the process was stopped beyond the deadline, is
    /// not handled beside that.
    ///
    /// - **Errors**: what the handler throws ends nothing; one that is a `RetryAfter` says itself how long the pause
    ///   is, and whether there is another attempt. The sequence fails with a ``BrokerError`` but for
    ///   ``BrokerError/unavailable(_:)``, during which it waits. A message that is no element goes to the dead letters.
    ///   Where the engine takes none of those, a warning is logged, once until it does again.
    /// - **Buffering**: twice as many elements as handlers are in flight. Where outcomes are taken in slowly, handlers
    ///   wait, and nothing more is pulled.
    /// - **Disposal**: cancels the handlers, and hands back what they have not handled, at once.
    /// - **Threads**: handlers run in tasks of Swift's pool, outcomes come one at a time from there.
    ///
    /// - Parameters:
    ///   - group: the group's name: letters, digits, `-` and `_`.
    ///   - concurrency: how many handlers run at once: at least 1, and at most as many as a group may have unsettled,
    ///     10 000.
    ///   - retry: how long the pauses are before further attempts; how often is for `attempts` to say.
    ///   - attempts: how often an element is tried. A delivery that a dead process took with it counts, and so does one
    ///     that was handed back before a handler had it, at a disposal.
    ///   - dead: the name of the stream of dead letters, which its subjects have to include; this one's with `-dead`
    ///     behind it unless given.
    ///   - deadline: after how long it is found out that this process has died; each member has its own. On NATS it is
    ///     the longest that a member of the group has wanted.
    ///   - start: where the group begins, when it is made; one that is there goes on.
    ///   - subject: the subjects of what the group gets; all unless given. Where the group is there with others, it
    ///     fails with ``BrokerError/refused(_:)``: see ``DurableStream/remove(group:)``.
    ///   - drain: when it is stopped nothing more is pulled, and the sequence completes when what is in flight has been
    ///     handled.
    ///   - handler: handles an element.
    public func work(
        as group: String, concurrency: Int = 1,
        retry: RetryPolicy = .exponential(from: .seconds(1), limit: .seconds(300)), attempts: Int = 8,
        dead: String? = nil, deadline: RxTimeInterval = .seconds(30), from start: ReplayStart = .beginning,
        subject: String? = nil, until drain: Drain? = nil, handler: @escaping @Sendable (Element) async throws -> Void
    ) -> Observable<Outcome<Element>> {
        worker(
            as: group, concurrency, { lanes in { lanes.add($0, to: nil) } }, retry, attempts, dead, deadline, start,
            subject, drain, handler)
    }

    /// Handles the elements of the stream, those of one key one after the other, and sends what became of each.
    ///
    /// As ``work(as:concurrency:retry:attempts:dead:deadline:from:subject:until:handler:)``, but that an element waits
    /// while one with the same key is handled, or waits for its next attempt: in this subscription, which keeps it
    /// meanwhile. So the order of a key is that of the stream, as long as one subscription gets all that have this key.
    /// On NATS there is an exception: what is on its way as the connection is lost comes again after the deadline, when
    /// newer elements of its key may have been handled. Other keys' elements are handled meanwhile. One that is given
    /// up keeps its key waiting until it is among the dead letters, also while it drains: where the engine does not
    /// take it, that is tried again each second.
    ///
    /// Among several members of a group nothing orders a key's elements: give each its own part of the stream by
    /// `subject`. Elements that come again because a process died come when they come.
    ///
    /// - Parameters:
    ///   - group: the group's name: letters, digits, `-` and `_`.
    ///   - concurrency: how many handlers run at once: at least 1, and at most as many as a group may have unsettled,
    ///     10 000.
    ///   - key: what is ordered; called once for each delivery.
    ///   - retry: how long the pauses are before further attempts; how often is for `attempts` to say.
    ///   - attempts: how often an element is tried. A delivery that a dead process took with it counts, and so does one
    ///     that was handed back before a handler had it, at a disposal.
    ///   - dead: the name of the stream of dead letters, which its subjects have to include; this one's with `-dead`
    ///     behind it unless given.
    ///   - deadline: after how long it is found out that this process has died; each member has its own. On NATS it is
    ///     the longest that a member of the group has wanted.
    ///   - start: where the group begins, when it is made; one that is there goes on.
    ///   - subject: the subjects of what the group gets; all unless given. Where the group is there with others, it
    ///     fails with ``BrokerError/refused(_:)``: see ``DurableStream/remove(group:)``.
    ///   - drain: when it is stopped nothing more is pulled, and the sequence completes when what is in flight has been
    ///     handled.
    ///   - handler: handles an element.
    public func work<Key: Hashable & Sendable>(
        as group: String, concurrency: Int = 1, inOrderBy key: @escaping @Sendable (Element) -> Key,
        retry: RetryPolicy = .exponential(from: .seconds(1), limit: .seconds(300)), attempts: Int = 8,
        dead: String? = nil, deadline: RxTimeInterval = .seconds(30), from start: ReplayStart = .beginning,
        subject: String? = nil, until drain: Drain? = nil, handler: @escaping @Sendable (Element) async throws -> Void
    ) -> Observable<Outcome<Element>> {
        worker(
            as: group, concurrency,
            { lanes in
                let table = LaneTable<Key, Attempt<Element>>(lanes)
                return { table.add($0, to: key($0.delivery.element)) }
            }, keepsOrder: true, retry, attempts, dead, deadline, start, subject,
            drain, handler)
    }

    private func worker(
        as group: String, _ concurrency: Int,
        _ sorting: @escaping @Sendable (Lanes<Attempt<Element>>) -> @Sendable (Attempt<Element>) -> Void,
        keepsOrder: Bool = false, _ retry: RetryPolicy, _ attempts: Int, _ dead: String?, _ deadline: RxTimeInterval,
        _ start: ReplayStart,
        _ subject: String?, _ drain: Drain?, _ handler: @escaping @Sendable (Element) async throws -> Void
    ) -> Observable<Outcome<Element>> {
        let settings = GroupSettings(group, deadline: deadline, start: start, filter: subject)
        let concurrency = min(max(concurrency, 1), settings.maxUnsettled)
        let member = Member(
            self, settings, inFlight: concurrency * 2, attempts: max(attempts, 1), dead: dead)
        let driver = driver
        return driver.feeding { observer in
            let lanes = Lanes<Attempt<Element>>(driver.scheduler)
            defer { lanes.end() }
            let sort = sorting(lanes)
            let workers = Workers(
                lanes: lanes, keepsOrder: keepsOrder, retry: retry,
                attempts: max(attempts, 1), driver: driver, metrics: member.metrics, handler: handler,
                observer: observer)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<concurrency { tasks.addTask { try await workers.work() } }
                tasks.addTask {
                    try await member.run(until: drain) {
                        try await observer.room()
                    } hand: {
                        sort(Attempt($0))
                    } finish: {
                        try await lanes.close()
                    }
                }
                // The first that throws ends all of them.
                while try await tasks.next() != nil {}
            }
        }
    }
}

/// An element that is to be handled.
private struct Attempt<Element: Sendable>: Sendable {
    let delivery: Delivery<Element>
    /// How often it has been tried then: more often than it was delivered, where it is tried again in this process.
    var number: Int
    /// Why it goes to the dead letters, and is not handled any more.
    var why: String?

    init(_ delivery: Delivery<Element>) {
        self.delivery = delivery
        number = delivery.attempt
    }

    /// The one after it.
    var next: Self {
        var next = self
        next.number += 1
        return next
    }

    /// One that is given up, and nothing else.
    func givenUp(_ why: String) -> Self {
        var last = self
        last.why = why
        return last
    }
}

/// What handles the elements of one subscription.
private struct Workers<Element: Sendable>: Sendable {
    /// An attempt that is still to be made, and the pause before it.
    typealias Later = (attempt: Attempt<Element>, pause: RxTimeInterval)

    let lanes: Lanes<Attempt<Element>>
    let keepsOrder: Bool
    let retry: RetryPolicy
    let attempts: Int
    let driver: any StreamDriver
    let metrics: GroupMetrics
    let handler: @Sendable (Element) async throws -> Void
    let observer: AnyObserver<Outcome<Element>>

    /// Handles one element after the other, until the lanes are closed.
    func work() async throws {
        while true {
            guard let (lane, attempt) = try await lanes.take() else { return }
            // What throws ends the subscription: what is behind it in its lane is not to be handled any more.
            if let later = try await handle(attempt) {
                lanes.putBack((lane, later.attempt), after: later.pause)
            } else {
                lanes.finish(lane)
            }
        }
    }

    /// - Returns: what is still to be done with the element, in this process; nil for nothing.
    private func handle(_ attempt: Attempt<Element>) async throws -> Later? {
        if let why = attempt.why { return try await giveUp(attempt, why) }
        let delivery = attempt.delivery
        do {
            try await handler(delivery.element)
        } catch {
            // It is handed back when this member leaves.
            try Task.checkCancellation()
            return try await failed(attempt, error)
        }
        let isTold = await delivery.window.settled(delivery.pulled.token, as: .done)
        metrics.handled.increment()
        try await observer.send(isTold ? .handled(delivery) : .untold(delivery))
        return nil
    }

    /// Says what becomes of an element after a failure.
    ///
    /// - Returns: what is still to be done with it, in this process; nil for nothing.
    private func failed(_ attempt: Attempt<Element>, _ error: any Error) async throws -> Later? {
        let delivery = attempt.delivery
        let wanted = (error as? any RetryAfter)?.retryAfter
        guard attempt.number < attempts, wanted != .never else {
            return try await giveUp(attempt, "\(error)")
        }
        var chance = SystemRandomNumberGenerator()
        let pause = wanted ?? retry.pause(afterFailures: attempt.number, using: &chance)
        metrics.retried.increment()
        if !keepsOrder { _ = await delivery.window.settled(delivery.pulled.token, as: .again(after: pause)) }
        try await observer.send(.retrying(delivery, after: pause, error))
        return keepsOrder ? (attempt.next, pause) : nil
    }

    /// Puts an element among the dead letters. Where the order is kept, and that fails, it keeps its lane until it is
    /// there; else it comes again.
    ///
    /// - Returns: what is still to be done with it, in this process; nil for nothing.
    private func giveUp(_ attempt: Attempt<Element>, _ why: String) async throws -> Later? {
        let (delivery, window) = (attempt.delivery, attempt.delivery.window)
        let buried: Bool? =
            if !keepsOrder {
                await window.reject(delivery.pulled, why)
            } else if attempt.why != nil || window.claim(delivery.pulled.token) {
                await window.tryToBury(delivery.pulled, why)
            } else {
                false
            }
        guard let isDead = buried else { return (attempt.givenUp(why), .seconds(1)) }
        try await observer.send(isDead ? .dead(delivery, why: why) : .untold(delivery))
        return nil
    }
}
