import RxSwift

/// One subscription to a pausableBuffered: the kept elements, and whether it is open.
///
/// Guards: all state belongs to the owner of the gate of `result`. Deliveries may call back into this object.
@usableFromInline
final class Valve<Element> {
    @usableFromInline
    let result: Coordination<Element>
    @usableFromInline
    let limit: Int
    @usableFromInline
    let flushOnCompleted: Bool
    @usableFromInline
    let flushOnError: Bool

    @usableFromInline
    var waiting = Ring<Element>()
    @usableFromInline
    var isOpen = false
    /// Whether a delivery of kept elements is running, further down the stack.
    @usableFromInline
    var isFlushing = false
    /// Whether source or pauser has ended, and a loop sends the rest.
    @usableFromInline
    var hasEnded = false

    @inlinable
    init(_ result: Coordination<Element>, limit: Int?, flushOnCompleted: Bool, flushOnError: Bool) {
        self.result = result
        self.limit = limit ?? .max
        self.flushOnCompleted = flushOnCompleted
        self.flushOnError = flushOnError
    }

    @inlinable
    func take(_ event: Event<Element>) {
        if hasEnded { return }
        switch event {
        case .next(let element): take(element)
        case .completed: end(event, isFlushed: flushOnCompleted)
        case .error: end(event, isFlushed: flushOnError)
        }
    }

    @inlinable
    func take(pauser event: Event<Bool>) {
        if hasEnded { return }
        switch event {
        case .next(let isOpen): turn(isOpen)
        case .completed: end(pauser: .completed)
        case .error(let error): end(pauser: .error(error))
        }
    }

    @inlinable
    func take(_ element: Element) {
        if isOpen && !isFlushing && waiting.isEmpty { return result.send(.next(element)) }
        waiting.append(element)
        // While the valve is open, the element only waits for its turn.
        if !isOpen { return evict() }
        // Elements that come in spite of a pause are passed on one for one.
        if !isFlushing { result.send(.next(waiting.removeFirst())) }
    }

    @inlinable
    func turn(_ isOpen: Bool) {
        self.isOpen = isOpen
        guard isOpen else { return evict() }
        flush()
    }

    /// Sends the kept elements, while the valve is open and the result is not paused.
    @inlinable
    func flush() {
        guard !isFlushing else { return }
        isFlushing = true
        while isOpen && !waiting.isEmpty && !result.keepsForResume(self) { result.send(.next(waiting.removeFirst())) }
        isFlushing = false
    }

    /// Drops the oldest kept elements until the rest is within the limit.
    @inlinable
    func evict() {
        // Extends the lifetime beyond the removal, because optimised code would release the element earlier, and its
        // `deinit` may call back into this object.
        while waiting.count > max(limit, 0) { withExtendedLifetime(waiting.removeFirst()) {} }
    }

    /// If a call below on the stack is sending kept elements, the end of the pauser drops the rest. Otherwise an open
    /// valve has kept elements only because the result was paused; they are sent before the end, with the resume.
    @inlinable
    func end(pauser event: Event<Element>) {
        if isFlushing { result.send(event) } else { end(event, isFlushed: false) }
    }

    @inlinable
    func end(_ event: Event<Element>, isFlushed: Bool) {
        // An open valve only keeps elements that are waiting for their turn, so they are always sent.
        if isFlushed || isOpen {
            while !waiting.isEmpty && !result.keepsForResume(self) { result.send(.next(waiting.removeFirst())) }
            if !waiting.isEmpty { return sendRest(before: event) }
        }
        result.send(event)
    }

    /// Sends the kept elements by a loop, which pauses with the result.
    @usableFromInline
    func sendRest(before end: Event<Element>) {
        hasEnded = true
        var rest: [Element] = []
        while !waiting.isEmpty { rest.append(waiting.removeFirst()) }
        result.subscribe(Observable.from(rest)) { [result] event in
            if case .next = event { result.send(event) } else { result.send(end) }
        }
    }
}
