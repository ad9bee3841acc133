/// What a throttle knows. Moments and spans are in nanoseconds.
@usableFromInline
struct ThrottleState<Element> {
    @usableFromInline
    enum Next {
        /// Deliver the element, then say ``ThrottleState/sent(at:)``.
        case send
        /// Come back after a span.
        case wait(Int)
        /// A timer is set already.
        case rest
    }

    @usableFromInline
    let span: Int
    @usableFromInline
    let latest: Bool
    @usableFromInline
    var lastSent: Int?
    /// The latest element of the span under way, or of a pause: the first one of that where the latest is not wanted.
    @usableFromInline
    var unsent: Element?
    @usableFromInline
    var hasCompleted = false

    @inlinable
    init(span: Int, latest: Bool) {
        self.span = span
        self.latest = latest
    }

    /// Takes an element.
    ///
    /// - Parameter element: in its place comes out what it evicts.
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

    /// Keeps an element that was to be sent, because the chain below is paused.
    ///
    /// - Parameter evicted: what came out when it was taken.
    @inlinable
    mutating func keep(_ element: Element, after evicted: Element?) {
        unsent = latest ? element : evicted ?? element
    }

    /// A span begins.
    @inlinable
    mutating func sent(at now: Int) {
        lastSent = now
    }

    /// Takes the completion; false where it has to wait for an element.
    @inlinable
    mutating func completed() -> Bool {
        hasCompleted = unsent != nil
        return !hasCompleted
    }

    /// The element that is due at the end of a span.
    @inlinable
    mutating func due() -> Element? {
        unsent.take()
    }
}
