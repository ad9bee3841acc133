/// The virtual times at which a ``TestableObservable`` was subscribed to and let go again.
public struct Subscription {
    /// When it was subscribed to.
    public let subscribe: Int

    /// When the subscription was disposed of; `Int.max` when it never was.
    public let unsubscribe: Int

    /// A subscription that lasts for ever.
    ///
    /// - Parameter subscribe: when it begins.
    public init(_ subscribe: Int) {
        self.init(subscribe, .max)
    }

    /// A subscription and its end.
    ///
    /// - Parameters:
    ///   - subscribe: when it begins.
    ///   - unsubscribe: when it is disposed of.
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

/// Whether both subscriptions began and ended at the same times.
public func == (lhs: Subscription, rhs: Subscription) -> Bool {
    lhs.subscribe == rhs.subscribe && lhs.unsubscribe == rhs.unsubscribe
}

extension Subscription: CustomDebugStringConvertible {
    /// Both times, as in `(200: 1000)` or `(200: Infinity)`.
    public var debugDescription: String {
        "(\(subscribe): \(unsubscribe == .max ? "Infinity" : String(unsubscribe)))"
    }
}
