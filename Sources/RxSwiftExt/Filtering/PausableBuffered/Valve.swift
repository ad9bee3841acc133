import RxSwift

@usableFromInline
enum ValveInput<Element> {
    case pauser(Event<Bool>)
    case source(Event<Element>)
}

/// One subscription to a pausableBuffered: what waits, and whether it has to.
///
/// Guards: all state: the gate of the inputs, whose owner comes back to here from within its own deliveries.
@usableFromInline
final class Valve<Element> {
    @usableFromInline
    let observer: AnyObserver<Element>
    @usableFromInline
    let limit: Int
    @usableFromInline
    let flushOnCompleted: Bool
    @usableFromInline
    let flushOnError: Bool

    @usableFromInline
    @exclusivity(unchecked)
    var waiting = Ring<Element>()
    @usableFromInline
    @exclusivity(unchecked)
    var isOpen = false
    /// Whether a delivery of what waits is under way, further down the stack.
    @usableFromInline
    @exclusivity(unchecked)
    var isFlushing = false

    @inlinable
    init(_ observer: AnyObserver<Element>, limit: Int?, flushOnCompleted: Bool, flushOnError: Bool) {
        self.observer = observer
        self.limit = limit ?? .max
        self.flushOnCompleted = flushOnCompleted
        self.flushOnError = flushOnError
    }

    @inlinable
    func take(_ input: ValveInput<Element>) {
        switch input {
        case .source(.next(let element)): take(element)
        case .source(.completed): end(.completed, isFlushed: flushOnCompleted)
        case .source(.error(let error)): end(.error(error), isFlushed: flushOnError)
        case .pauser(.next(let isOpen)): turn(isOpen)
        case .pauser(.completed): observer.onCompleted()
        case .pauser(.error(let error)): observer.onError(error)
        }
    }

    @inlinable
    func take(_ element: Element) {
        if isOpen && !isFlushing { return observer.onNext(element) }
        waiting.append(element)
        // What comes while the valve is open has only to wait its turn.
        if !isOpen { evict() }
    }

    @inlinable
    func turn(_ isOpen: Bool) {
        self.isOpen = isOpen
        guard isOpen else { return evict() }
        guard !isFlushing else { return }
        isFlushing = true
        while self.isOpen && !waiting.isEmpty { observer.onNext(waiting.removeFirst()) }
        isFlushing = false
    }

    /// Drops the oldest until the rest is within the limit.
    @inlinable
    func evict() {
        while waiting.count > max(limit, 0) { _ = waiting.removeFirst() }
    }

    @inlinable
    func end(_ event: Event<Element>, isFlushed: Bool) {
        // An open valve has let all of it through already, but for those that waited their turn.
        if isFlushed || isOpen {
            while !waiting.isEmpty { observer.onNext(waiting.removeFirst()) }
        }
        observer.on(event)
    }
}
