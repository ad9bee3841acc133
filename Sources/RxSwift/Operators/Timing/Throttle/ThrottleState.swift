/// Times and spans are in nanoseconds.
@usableFromInline
struct ThrottleState<Element> {
    @usableFromInline
    enum Next {
        /// Deliver the element, then call ``ThrottleState/sent(at:)``.
        case send
        /// Set the timer to a span.
        case wait(Int)
        /// Do nothing: the element is dropped, or the timer is already set.
        case rest
    }

    @usableFromInline
    let span: Int
    @usableFromInline
    let latest: Bool
    @usableFromInline
    var lastSent: Int?
    /// The element to send at the end of the current time span or pause. If `latest` is true, this is the latest
    /// element. If `latest` is false, this is the first element of a pause.
    @usableFromInline
    var unsent: Element?
    @usableFromInline
    var hasCompleted = false

    @inlinable
    init(span: Int, latest: Bool) {
        self.span = span
        self.latest = latest
    }

    /// Returns the next step for a new element. On return, `element` is the element that has been dropped, or nil.
    @inlinable
    mutating func next(_ element: inout Element?, at now: Int) -> Next {
        let rest = lastSent.map { span.span(since: now.span(since: $0)) } ?? 0
        guard rest > 0 else {
            element = unsent.take()
            return .send
        }
        guard latest else { return .rest }
        swap(&unsent, &element)
        return element == nil ? .wait(rest) : .rest
    }

    /// Stores an element that is not sent because of a pause. `evicted` is the earlier unsent element, which
    /// ``next(_:at:)`` returned in its argument, or nil if there was none.
    @inlinable
    mutating func keep(_ element: Element, after evicted: Element?) {
        unsent = latest ? element : evicted ?? element
    }

    @inlinable
    mutating func sent(at now: Int) {
        lastSent = now
    }

    /// Returns false if an element must be sent first.
    @inlinable
    mutating func completed() -> Bool {
        hasCompleted = unsent != nil
        return !hasCompleted
    }

    @inlinable
    mutating func due() -> Element? {
        unsent.take()
    }
}
