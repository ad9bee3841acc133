public import Dispatch
public import RxResilience
public import RxSwift

extension DurableStream {
    /// Handles the elements of the stream, divided among all workers of the same group, and sends the outcome of each
    /// attempt.
    ///
    /// ```swift
    /// orders.work(as: "billing", concurrency: 16, attempts: 8) { order in try await charge(order) }
    ///     .subscribe(onNext: { if case .dead(let order, let why) = $0 { log(order.id, why) } }, onError: report)
    /// ```
    ///
    /// When the handler returns, the element is acknowledged. When it throws, the element is delivered again after a
    /// pause, and after `attempts` attempts it goes to the dead letters. The element's deadline is extended while the
    /// handler runs. Delivery is at least once, so the handler must be idempotent: see <doc:AtLeastOnce>. If the
    /// process was suspended beyond the deadline, an element may be delivered again while its handler runs. No second
    /// handler then starts in this process.
    ///
    /// - **Errors**: an error of the handler does not end the sequence. If the error is a `RetryAfter`, it sets the
    ///   pause, or prevents another attempt. Each ``BrokerError`` except ``BrokerError/unavailable(_:)`` ends the
    ///   sequence. A message that cannot be decoded goes to the dead letters.
    /// - **Buffering**: at most twice `concurrency` elements are in flight. If the observer accepts outcomes slowly,
    ///   handlers wait, and nothing more is pulled.
    /// - **Disposal**: cancels the handlers and returns unhandled elements to the engine at once.
    /// - **Threads**: handlers run in tasks of Swift's pool; outcomes are sent one at a time from there.
    ///
    /// - Parameters:
    ///   - group: the group's name, made of letters, digits, `-` and `_`.
    ///   - concurrency: the maximum number of handlers that run at once: 1 to 10 000, the limit of a group's unsettled
    ///     messages.
    ///   - retry: the pauses before further attempts.
    ///   - attempts: the maximum number of attempts. Deliveries to processes that have died are counted.
    ///     So are deliveries that a disposal returned to the engine, even if no handler was called.
    ///   - dead: the name of the stream of dead letters; see ``DurableStream/deadLetters(in:live:)``.
    ///   - deadline: the time after which another member gets the elements of a process that has died; see
    ///     ``GroupSettings/deadline``.
    ///   - start: where a new group starts; an existing group continues.
    ///   - subject: the subjects that the group receives; all by default. If the group exists with other subjects, the
    ///     sequence fails with ``BrokerError/refused(_:)``: see ``DurableStream/remove(group:)``.
    ///   - drain: when it is stopped, nothing more is pulled. The sequence completes when all elements in flight have
    ///     been handled.
    ///   - handler: handles an element.
    public func work(
        as group: String, concurrency: Int = 1,
        retry: RetryPolicy = .exponential(from: .seconds(1), limit: .seconds(300)), attempts: Int = 8,
        dead: String? = nil, deadline: RxTimeInterval = .seconds(30), from start: ReplayStart = .beginning,
        subject: String? = nil, until drain: Drain? = nil, handler: @escaping @Sendable (Element) async throws -> Void
    ) -> Observable<Outcome<Element>> {
        worker(
            as: group, concurrency, { lanes in { lanes.add($0, to: nil) } }, retry, attempts, dead, deadline, start,
            subject, drain
        ) { delivery in try await handler(delivery.element) }
    }

    /// Like ``work(as:concurrency:retry:attempts:dead:deadline:from:subject:until:handler:)``, but the handler may
    /// acknowledge the delivery itself. If it throws ``DeliveryLost``, another member handles the delivery, and the
    /// outcome is ``Outcome/untold(_:)``.
    package func work(
        as group: String, concurrency: Int, retry: RetryPolicy, attempts: Int, dead: String?,
        deadline: RxTimeInterval, from start: ReplayStart, subject: String?, until drain: Drain?,
        delivering handler: @escaping @Sendable (Delivery<Element>) async throws -> Void
    ) -> Observable<Outcome<Element>> {
        worker(
            as: group, concurrency, { lanes in { lanes.add($0, to: nil) } }, retry, attempts, dead, deadline, start,
            subject, drain, handler)
    }

    /// Handles the elements of the stream, one at a time for each key, and sends the outcome of each attempt.
    ///
    /// See ``work(as:concurrency:retry:attempts:dead:deadline:from:subject:until:handler:)``; only the order differs.
    /// `key` returns the key of an element, and is called once for each delivery. While this subscription handles an
    /// element, or pauses before the next attempt at it, later elements with the same key wait. An element that was
    /// given up blocks its key until it is among the dead letters, even during a drain.
    ///
    /// If a group has several members, or if elements are redelivered, the elements of a key may be out of order: see
    /// <doc:OrderPerKey>.
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
            }, keepsOrder: true, retry, attempts, dead, deadline, start, subject, drain
        ) { delivery in try await handler(delivery.element) }
    }

    private func worker(
        as group: String, _ concurrency: Int,
        _ sorting: @escaping @Sendable (Lanes<Attempt<Element>>) -> @Sendable (Attempt<Element>) -> Void,
        keepsOrder: Bool = false, _ retry: RetryPolicy, _ attempts: Int, _ dead: String?, _ deadline: RxTimeInterval,
        _ start: ReplayStart,
        _ subject: String?, _ drain: Drain?, _ handler: @escaping @Sendable (Delivery<Element>) async throws -> Void
    ) -> Observable<Outcome<Element>> {
        let settings = GroupSettings(group, deadline: deadline, start: start, filter: subject)
        let concurrency = min(max(concurrency, 1), settings.maxUnsettled)
        // If the order is kept, `Workers` gives up messages that were delivered too often. Each one then blocks its
        // lane until its dead letter is stored.
        let member = Member(
            self, settings, inFlight: concurrency * 2, attempts: keepsOrder ? nil : max(attempts, 1), dead: dead)
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
                while try await tasks.next() != nil {}
            }
        }
    }
}

/// Thrown if another member has the delivery and the handler's effect has been undone.
package struct DeliveryLost: Error {
    package init() {}
}

private struct Attempt<Element: Sendable>: Sendable {
    let delivery: Delivery<Element>
    /// The attempt's number. It exceeds the number of deliveries if this process has tried the element several times
    /// after one delivery.
    var number: Int
    /// Why the element goes to the dead letters; nil while it may still be handled.
    var why: String?

    init(_ delivery: Delivery<Element>) {
        self.delivery = delivery
        number = delivery.attempt
    }

    var next: Self {
        var next = self
        next.number += 1
        return next
    }

    func givenUp(_ why: String) -> Self {
        var last = self
        last.why = why
        return last
    }
}

private struct Workers<Element: Sendable>: Sendable {
    /// A further attempt in this process, and the pause before it.
    typealias Later = (attempt: Attempt<Element>, pause: RxTimeInterval)

    let lanes: Lanes<Attempt<Element>>
    let keepsOrder: Bool
    let retry: RetryPolicy
    let attempts: Int
    let driver: any StreamDriver
    let metrics: GroupMetrics
    let handler: @Sendable (Delivery<Element>) async throws -> Void
    let observer: AnyObserver<Outcome<Element>>

    func work() async throws {
        while true {
            guard let (lane, attempt) = try await lanes.take() else { return }
            // If `handle` throws, the subscription ends. The lane stays busy, so its later elements are not handled.
            if let later = try await handle(attempt) {
                lanes.putBack((lane, later.attempt), after: later.pause)
            } else {
                lanes.finish(lane)
            }
        }
    }

    private func handle(_ attempt: Attempt<Element>) async throws -> Later? {
        if let why = attempt.why { return try await giveUp(attempt, why) }
        let delivery = attempt.delivery
        if attempt.number > attempts { return try await giveUp(attempt, delivery.pulled.triedTooOften) }
        do {
            try await handler(delivery)
        } catch is DeliveryLost {
            // The engine ignores this verdict if another member has the message.
            _ = await delivery.inFlightMessages.settled(delivery.pulled.token, as: .again(after: .nanoseconds(0)))
            try await observer.send(.untold(delivery))
            return nil
        } catch {
            // If the task is cancelled, this member hands the element back when it leaves.
            try Task.checkCancellation()
            return try await failed(attempt, error)
        }
        let isTold = await delivery.inFlightMessages.settled(delivery.pulled.token, as: .done)
        metrics.handled.increment()
        try await observer.send(isTold ? .handled(delivery) : .untold(delivery))
        return nil
    }

    private func failed(_ attempt: Attempt<Element>, _ error: any Error) async throws -> Later? {
        let delivery = attempt.delivery
        let wanted = (error as? any RetryAfter)?.retryAfter
        guard attempt.number < attempts, wanted != .never else {
            return try await giveUp(attempt, "\(error)")
        }
        var chance = SystemRandomNumberGenerator()
        let pause = wanted ?? retry.pause(afterFailures: attempt.number, using: &chance)
        metrics.retried.increment()
        if !keepsOrder { _ = await delivery.inFlightMessages.settled(delivery.pulled.token, as: .again(after: pause)) }
        try await observer.send(.retrying(delivery, after: pause, error))
        return keepsOrder ? (attempt.next, pause) : nil
    }

    /// Stores a dead letter. If that fails, the engine delivers the element again. If the order is kept, the element
    /// instead blocks its lane until the dead letter is stored.
    private func giveUp(_ attempt: Attempt<Element>, _ why: String) async throws -> Later? {
        let (delivery, inFlightMessages) = (attempt.delivery, attempt.delivery.inFlightMessages)
        let buried: Bool? =
            if !keepsOrder {
                await inFlightMessages.reject(delivery.pulled, why)
            } else if attempt.why != nil || inFlightMessages.claim(delivery.pulled.token) {
                await inFlightMessages.tryToBury(delivery.pulled, why)
            } else {
                false
            }
        guard let isDead = buried else { return (attempt.givenUp(why), .seconds(1)) }
        try await observer.send(isDead ? .dead(delivery, why: why) : .untold(delivery))
        return nil
    }
}
