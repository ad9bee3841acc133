import RxSwift

/// One subscription to `pausableBuffered`. The valve is open while the latest element of the pauser is `true`.
///
/// Guards: only the thread that owns the gate of `result` uses the state. Deliveries may call back into this object.
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
    @usableFromInline
    var isFlushing = false
    /// Whether a loop is sending the remaining elements after the end of the source or the pauser.
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
        // If the valve is open, the element waits only for earlier elements, so the limit does not apply.
        if !isOpen { return evict() }
        // If `flush` is not running, elements wait at an open valve only because the result is paused. This source
        // sends even during the pause. So the oldest element is sent too, and the queue does not grow.
        if !isFlushing { result.send(.next(waiting.removeFirst())) }
    }

    @inlinable
    func turn(_ isOpen: Bool) {
        self.isOpen = isOpen
        guard isOpen else { return evict() }
        flush()
    }

    @inlinable
    func flush() {
        guard !isFlushing else { return }
        isFlushing = true
        while isOpen && !waiting.isEmpty && !result.keepsForResume(self) { result.send(.next(waiting.removeFirst())) }
        isFlushing = false
    }

    @inlinable
    func evict() {
        // Releases the element only after the removal, because its `deinit` may call back into this object. Without
        // `withExtendedLifetime`, optimised code would release it earlier.
        while waiting.count > max(limit, 0) { withExtendedLifetime(waiting.removeFirst()) {} }
    }

    /// Drops the waiting elements, and sends `event`. Exception: if the valve is open and `flush` is not running,
    /// the waiting elements are sent before `event`, because they wait only for a paused observer.
    @inlinable
    func end(pauser event: Event<Element>) {
        if isFlushing { result.send(event) } else { end(event, isFlushed: false) }
    }

    @inlinable
    func end(_ event: Event<Element>, isFlushed: Bool) {
        // If the valve is open, the waiting elements are always sent.
        if isFlushed || isOpen {
            while !waiting.isEmpty && !result.keepsForResume(self) { result.send(.next(waiting.removeFirst())) }
            if !waiting.isEmpty { return sendRest(before: event) }
        }
        result.send(event)
    }

    /// Sends the remaining elements, then `end`. Pauses with the result.
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
