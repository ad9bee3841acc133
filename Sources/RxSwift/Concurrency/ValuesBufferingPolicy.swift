/// What happens to elements that come faster than the loop over `values` takes them.
public enum ValuesBufferingPolicy: Sendable, Hashable {
    /// All of them wait, without a bound: the policy of the property `values`.
    case unbounded

    /// At most so many wait; while there is no place, the new element is dropped. With 0 or less only a loop that waits
    /// gets one.
    case oldest(Int)

    /// At most so many wait; a new element takes the place of the one that has waited longest. With 0 or less only a
    /// loop that waits gets one.
    case newest(Int)
}

extension ValuesBufferingPolicy {
    func forThrowingStream<Element>(
        of _: Element.Type
    ) -> AsyncThrowingStream<Element, any Error>.Continuation.BufferingPolicy {
        switch self {
        case .unbounded: .unbounded
        case .oldest(let count): .bufferingOldest(count)
        case .newest(let count): .bufferingNewest(count)
        }
    }

    func forStream<Element>(of _: Element.Type) -> AsyncStream<Element>.Continuation.BufferingPolicy {
        switch self {
        case .unbounded: .unbounded
        case .oldest(let count): .bufferingOldest(count)
        case .newest(let count): .bufferingNewest(count)
        }
    }
}
