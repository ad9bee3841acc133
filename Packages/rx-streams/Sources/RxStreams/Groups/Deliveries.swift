public import Dispatch
public import RxResilience
public import RxSwift

extension DurableStream {
    /// Returns the elements of the stream, divided among all subscribers of the same group. The subscriber settles each
    /// element.
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
    /// Delivery is at least once: see <doc:AtLeastOnce>.
    ///
    /// - **Buffering**: a pull requests messages up to the limit `inFlight`. The member does not pull while its
    ///   downstream is paused. It extends the deadline of a pulled element until the element is sent. After that, the
    ///   receiver must extend the deadline: see ``Delivery/extend()``.
    /// - **Errors**: each ``BrokerError`` except ``BrokerError/unavailable(_:)`` ends the sequence. A message that
    ///   cannot be decoded goes to the dead letters.
    /// - **Disposal**: returns unsettled elements to the engine at once.
    /// - **Threads**: elements are sent one at a time, on tasks of Swift's pool.
    ///
    /// - Parameters:
    ///   - group: letters, digits, `-` and `_`.
    ///   - start: where a new group starts; an existing group continues.
    ///   - inFlight: the maximum number of delivered, unsettled elements in this subscription; at least 1.
    ///   - deadline: how long an element may stay unsettled before another member gets it; see
    ///     ``GroupSettings/deadline``.
    ///   - subject: the subjects that the group receives, a subset of the stream's subjects; all by default. If the
    ///     group exists with other subjects, the sequence fails with ``BrokerError/refused(_:)``: see
    ///     ``DurableStream/remove(group:)``.
    ///   - attempts: the number of deliveries after which a message goes to the dead letters, at least 1; nil for no
    ///     limit. A delivery that the member returned unsent also counts. So with a small number, a message may become
    ///     a dead letter before any subscriber receives it.
    ///   - dead: the name of the stream of dead letters; see ``DurableStream/deadLetters(in:live:)``.
    ///   - drain: when it is stopped, nothing more is pulled or sent. The sequence completes when each sent element is
    ///     settled or its deadline has passed.
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
                // If the drain is stopped, the member hands the element back.
                if drain?.isStopped == true { return }
                delivery.inFlightMessages.handOver(delivery.pulled.token)
                observer.onNext(delivery)
            }
        }
    }
}
