public import Dispatch
public import RxResilience
public import RxSwift

extension DurableStream {
    /// The elements of the stream, divided among all that subscribe to the same group, each to be settled.
    ///
    /// ```swift
    /// orders.deliveries(to: "search", inFlight: 500)
    ///     .flatMapAsync(maxConcurrent: 8) { delivery in
    ///         try await index.add(delivery.element)
    ///         delivery.ack()
    ///     }
    ///     .bounded(64)
    /// ```
    ///
    /// At least once: what is not settled comes again. A subscription is a member of the group, with its own part of
    /// the messages; when its disposal or its process's end takes it away, the others get that part.
    ///
    /// - **Buffering**: a pull asks for as many as may still be in flight, and nothing is pulled while the chain below
    ///   is paused. What was pulled and waits for the chain has its deadline extended; what was sent is its receiver's
    ///   matter: see ``Delivery/extend()``.
    /// - **Errors**: ``BrokerError`` but for ``BrokerError/unavailable(_:)``, during which it waits. A message that is
    ///   no element goes to the dead letters, and the sequence goes on. Where the engine takes none of those, a warning
    ///   is logged, once until it does again.
    /// - **Disposal**: what is in flight and not settled is handed back at once.
    /// - **Threads**: elements come one at a time, on the tasks of Swift's pool.
    ///
    /// - Parameters:
    ///   - group: the group's name: letters, digits, `-` and `_`.
    ///   - start: where the group begins, when it is made; one that is there goes on.
    ///   - inFlight: how many may be delivered and not settled, in this subscription; at least 1.
    ///   - deadline: after how long what is not settled goes to another member; each member has its own. On NATS it is
    ///     the longest that a member of the group has wanted.
    ///   - subject: the subjects of what the group gets, some of the stream's; all unless given. Where the group is
    ///     there with others, it fails with ``BrokerError/refused(_:)``: see ``DurableStream/remove(group:)``.
    ///   - attempts: after how many deliveries a message goes to the dead letters instead, at least 1; never unless
    ///     given. One that was pulled and handed back unsent counts, as at the end of a drain: choose well above 1, or
    ///     what nobody has seen may end there.
    ///   - dead: the name of the stream of dead letters, which its subjects have to include; this one's with `-dead`
    ///     behind it unless given.
    ///   - drain: when it is stopped nothing more is pulled or sent, and the sequence completes when all that was sent
    ///     is settled, or has passed its deadline.
    public func deliveries(
        to group: String, from start: ReplayStart = .beginning, inFlight: Int = 256,
        deadline: RxTimeInterval = .seconds(30), subject: String? = nil, attempts: Int? = nil, dead: String? = nil,
        until drain: Drain? = nil
    ) -> Observable<Delivery<Element>> {
        let member = Member(
            self, GroupSettings(group, deadline: deadline, start: start, filter: subject), inFlight: inFlight,
            attempts: attempts.map { max($0, 1) }, dead: dead)
        return driver.feeding { observer in
            try await member.run(until: drain) {
                try await observer.room()
            } hand: { delivery in
                try await observer.room()
                // Nothing more is sent: what is here is handed back.
                if drain?.isStopped == true { return }
                delivery.window.handOver(delivery.pulled.token)
                observer.onNext(delivery)
            }
        }
    }
}
