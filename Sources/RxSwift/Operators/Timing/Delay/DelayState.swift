/// What a delay knows. Moments and spans are in nanoseconds.
///
/// At any time one party at most is to act: the timer that is set, or the thread that delivers. An event that comes
/// while there is one only waits.
@usableFromInline
struct DelayState<Element>: ~Copyable {
    @usableFromInline
    enum Next {
        case deliver(Event<Element>)
        /// Come back after a span.
        case wait(Int)
        case fail(any Error)
        case rest
        /// Wait until the chain below goes on.
        case park
    }

    @usableFromInline
    enum Actor {
        case nobody, timer, delivery
        /// The delivery, once the chain below goes on.
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

    /// Takes an element or the completion; true where the timer is to be set, to the whole span.
    @inlinable
    mutating func append(_ event: Event<Element>, at now: Int) -> Bool {
        waiting.append(Item(due: now.advanced(bySaturating: span), event: event))
        guard actor == .nobody else { return false }
        actor = .timer
        return true
    }

    /// Takes an error; true where it is to be delivered at once.
    @inlinable
    mutating func fail(_ error: any Error) -> Bool {
        failure = error
        guard actor != .delivery else { return false }
        actor = .delivery
        return true
    }

    /// The timer has fired: what to deliver first.
    @inlinable
    mutating func fired() -> Next {
        guard actor == .timer else { return .rest }
        actor = .delivery
        return .deliver(waiting.removeFirst().event)
    }

    /// An event has been delivered.
    ///
    /// - Parameter mayGoOn: whether what is due may be delivered without a timer in between.
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
