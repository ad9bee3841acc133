/// The event of a `Single`: its element, or the error that it failed with.
public typealias SingleEvent<Element> = Result<Element, any Swift.Error>

/// The event of a `Maybe`: its element, the error that it failed with, or completion without an element.
@frozen
public enum MaybeEvent<Element> {
    /// The element; nothing follows.
    case success(Element)

    /// The sequence failed; nothing follows.
    case error(any Swift.Error)

    /// The sequence completed without an element; nothing follows.
    case completed
}

extension MaybeEvent: Sendable where Element: Sendable {}

/// The event of a `Completable`: completion, or the error that it failed with.
@frozen
public enum CompletableEvent: Sendable {
    /// The sequence failed; nothing follows.
    case error(any Swift.Error)

    /// The sequence completed; nothing follows.
    case completed
}
