/// What a `Single` tells its observer: its one element, or the error that it failed with.
public typealias SingleEvent<Element> = Result<Element, any Swift.Error>

/// What a `Maybe` tells its observer: its one element, the error that it failed with, or that it ended without either.
@frozen
public enum MaybeEvent<Element> {
    /// The element; nothing follows.
    case success(Element)

    /// The sequence failed; nothing follows.
    case error(any Swift.Error)

    /// The sequence ended without an element; nothing follows.
    case completed
}

extension MaybeEvent: Sendable where Element: Sendable {}

/// What a `Completable` tells its observer: that it ended, well or with an error.
@frozen
public enum CompletableEvent: Sendable {
    /// The sequence failed; nothing follows.
    case error(any Swift.Error)

    /// The sequence ended well; nothing follows.
    case completed
}
