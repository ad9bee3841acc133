/// An event of a sequence: an element, an error or a completion.
///
/// A sequence sends `next* (error | completed)?`: any number of elements, then at most one terminal event.
@frozen
public enum Event<Element> {
    /// The next element.
    case next(Element)

    /// The sequence failed.
    case error(any Swift.Error)

    /// The sequence completed.
    case completed
}

extension Event: Sendable where Element: Sendable {}

extension Event: CustomDebugStringConvertible {
    /// The event as text, such as `next(1)`, `error(noElements)`, `completed`.
    public var debugDescription: String {
        switch self {
        case .next(let element): "next(\(element))"
        case .error(let error): "error(\(error))"
        case .completed: "completed"
        }
    }
}

extension Event {
    /// Whether the event ends the sequence.
    @inlinable
    public var isStopEvent: Bool {
        switch self {
        case .next: false
        case .error, .completed: true
        }
    }

    /// The element of a `next` event.
    @inlinable
    public var element: Element? {
        if case .next(let element) = self { element } else { nil }
    }

    /// The error of an `error` event.
    @inlinable
    public var error: (any Swift.Error)? {
        if case .error(let error) = self { error } else { nil }
    }

    /// Whether the event is `completed`.
    @inlinable
    public var isCompleted: Bool {
        if case .completed = self { true } else { false }
    }
}

extension Event {
    /// Transforms the element. An error that `transform` throws becomes an `error` event.
    @inlinable
    public func map<Result>(_ transform: (Element) throws -> Result) -> Event<Result> {
        do {
            switch self {
            case .next(let element): return .next(try transform(element))
            case .error(let error): return .error(error)
            case .completed: return .completed
            }
        } catch {
            return .error(error)
        }
    }
}

/// A type that can be converted to an ``Event``, as `dematerialize` requires of its elements.
public protocol EventConvertible {
    /// The type of the event's element.
    associatedtype Element

    /// The value as an event.
    var event: Event<Element> { get }
}

extension Event: EventConvertible {
    @inlinable
    public var event: Event<Element> { self }
}
