/// The policy for elements that arrive faster than the loop over `values` takes them.
public enum ValuesBufferingPolicy: Sendable, Hashable {
    /// All elements wait, without a bound. This is the policy of the property `values`.
    case unbounded

    /// At most this number of elements waits; if the buffer is full, the new element is dropped. With 0 or less, an
    /// element is delivered only if the loop is waiting for it.
    case oldest(Int)

    /// At most this number of elements waits; if the buffer is full, a new element replaces the oldest one. With 0 or
    /// less, an element is delivered only if the loop is waiting for it.
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
