/// The event of a `Single`.
public typealias SingleEvent<Element> = Result<Element, any Swift.Error>

/// The event of a `Maybe`.
@frozen
public enum MaybeEvent<Element> {
    /// The element.
    case success(Element)

    /// The error of the sequence.
    case error(any Swift.Error)

    /// Completion without an element.
    case completed
}

extension MaybeEvent: Sendable where Element: Sendable {}

/// The event of a `Completable`.
@frozen
public enum CompletableEvent: Sendable {
    /// The error of the sequence.
    case error(any Swift.Error)

    /// The completion.
    case completed
}
