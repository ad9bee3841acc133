import RxSwift

/// One subscription to a pausableBuffered: what waits, and whether it has to.
///
/// Guards: all state: the thread that is within `result`, which comes back to here from within its own deliveries.
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
    /// Whether a delivery of what waits is under way, further down the stack.
    @usableFromInline
    var isFlushing = false
    /// Whether source or pauser has ended, and what is left is sent by a loop.
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
        // What comes while the valve is open has only to wait its turn.
        if !isOpen { return evict() }
        // What comes during a pause all the same passes on, one for one.
        if !isFlushing { result.send(.next(waiting.removeFirst())) }
    }

    @inlinable
    func turn(_ isOpen: Bool) {
        self.isOpen = isOpen
        guard isOpen else { return evict() }
        flush()
    }

    /// Sends what waits, while the valve is open and the result is not paused.
    @inlinable
    func flush() {
        guard !isFlushing else { return }
        isFlushing = true
        while isOpen && !waiting.isEmpty && !result.keepsForResume(self) { result.send(.next(waiting.removeFirst())) }
        isFlushing = false
    }

    /// Drops the oldest until the rest is within the limit.
    @inlinable
    func evict() {
        // Kept beyond the removal, because optimised code would release it earlier: its `deinit` may come back to here.
        while waiting.count > max(limit, 0) { withExtendedLifetime(waiting.removeFirst()) {} }
    }

    /// What an open valve still has waits for a resume, unless it is being sent.
    @inlinable
    func end(pauser event: Event<Element>) {
        if isFlushing { result.send(event) } else { end(event, isFlushed: false) }
    }

    @inlinable
    func end(_ event: Event<Element>, isFlushed: Bool) {
        // An open valve has let all of it through already, but for those that waited their turn.
        if isFlushed || isOpen {
            while !waiting.isEmpty && !result.keepsForResume(self) { result.send(.next(waiting.removeFirst())) }
            if !waiting.isEmpty { return sendRest(before: event) }
        }
        result.send(event)
    }

    /// Sends what waits by a loop, which pauses with the result.
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
