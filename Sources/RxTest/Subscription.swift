/// The virtual times at which a ``TestableObservable``'s subscription began and was disposed of.
public struct Subscription {
    /// The time of the subscription.
    public let subscribe: Int

    /// The time of the disposal; `Int.max` if there was none.
    public let unsubscribe: Int

    /// A subscription at `subscribe` that is never disposed of.
    public init(_ subscribe: Int) {
        self.init(subscribe, .max)
    }

    /// A subscription from `subscribe` to `unsubscribe`.
    public init(_ subscribe: Int, _ unsubscribe: Int) {
        self.subscribe = subscribe
        self.unsubscribe = unsubscribe
    }
}

extension Subscription: Sendable {}

extension Subscription: Hashable {
    /// Feeds both times to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(subscribe)
        hasher.combine(unsubscribe)
    }
}

/// Whether both times are equal.
public func == (lhs: Subscription, rhs: Subscription) -> Bool {
    lhs.subscribe == rhs.subscribe && lhs.unsubscribe == rhs.unsubscribe
}

extension Subscription: CustomDebugStringConvertible {
    /// Both times, as in `(200: 1000)` or `(200: Infinity)`.
    public var debugDescription: String {
        "(\(subscribe): \(unsubscribe == .max ? "Infinity" : String(unsubscribe)))"
    }
}
