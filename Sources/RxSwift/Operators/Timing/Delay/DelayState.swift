/// The waiting events of a delay. Times and spans are in nanoseconds.
///
/// The next step is taken by the *actor* (not a Swift actor): the timer, the delivering thread, or the job that waits
/// for a resume. While there is an actor, new events are only queued.
@usableFromInline
struct DelayState<Element>: ~Copyable {
    @usableFromInline
    enum Next {
        case deliver(Event<Element>)
        case wait(Int)
        case fail(any Error)
        case rest
        /// Wait for the resume of the downstream chain.
        case park
    }

    @usableFromInline
    enum Actor {
        case nobody, timer, delivery
        case resume
    }

    @usableFromInline
    struct Item {
        @usableFromInline
        let due: Int
        @usableFromInline
        let event: Event<Element>

        @inlinable
        init(due: Int, event: Event<Element>) {
            self.due = due
            self.event = event
        }
    }

    @usableFromInline
    let span: Int
    @usableFromInline
    var waiting = Ring<Item>()
    @usableFromInline
    var actor = Actor.nobody
    @usableFromInline
    var failure: (any Error)?

    @inlinable
    init(span: Int) {
        self.span = span
    }

    /// Returns whether to set the timer to `span`.
    @inlinable
    mutating func append(_ event: Event<Element>, at now: Int) -> Bool {
        waiting.append(item(event, at: now))
        return startsTimer()
    }

    @inlinable
    func item(_ event: Event<Element>, at now: Int) -> Item {
        Item(due: now.advanced(bySaturating: span), event: event)
    }

    @inlinable
    mutating func startsTimer() -> Bool {
        guard actor == .nobody else { return false }
        actor = .timer
        return true
    }

    /// Returns whether the caller must deliver the error.
    @inlinable
    mutating func fail(_ error: any Error) -> Bool {
        failure = error
        guard actor != .delivery else { return false }
        actor = .delivery
        return true
    }

    @inlinable
    mutating func fired() -> Next {
        guard actor == .timer else { return .rest }
        actor = .delivery
        return .deliver(waiting.removeFirst().event)
    }

    /// Returns the next step after a delivery. If `mayGoOn` is false, the timer must fire before the next delivery.
    @inlinable
    mutating func delivered(at now: Int, mayGoOn: Bool) -> Next {
        if let failure { return .fail(failure) }
        guard let due = waiting.first?.due else {
            actor = .nobody
            return .rest
        }
        let rest = due.span(since: now)
        if rest <= 0 && mayGoOn { return .deliver(waiting.removeFirst().event) }
        actor = .timer
        return .wait(max(rest, 0))
    }
}
