import RxSwift

extension Resilience {
    /// The state of all limits, sorted by name. The limits may be read at slightly different times.
    public struct Snapshot: Sendable {
        /// The bulkheads.
        public internal(set) var bulkheads: [BulkheadState] = []
        /// The rate limiters.
        public internal(set) var rateLimiters: [RateLimiterState] = []
        /// The circuit breakers.
        public internal(set) var circuitBreakers: [CircuitBreakerState] = []
        /// The retry budgets.
        public internal(set) var retryBudgets: [RetryBudgetState] = []
        /// The single flights.
        public internal(set) var singleFlights: [SingleFlightState] = []
        /// The intakes.
        public internal(set) var intakes: [IntakeState] = []
        /// The drains.
        public internal(set) var drains: [DrainState] = []
    }

    /// The state of a ``Bulkhead``.
    public struct BulkheadState: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The limits.
        public let limits: Bulkhead.Limits
        /// The number of running calls.
        public let running: Int
        /// The number of waiting calls.
        public let waiting: Int
    }

    /// The state of a ``RateLimiter``.
    public struct RateLimiterState: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The limits.
        public let limits: RateLimiter.Limits
        /// The number of permits in the bucket.
        public let permits: Int
        /// The number of waiting calls.
        public let waiting: Int
    }

    /// The state of a ``CircuitBreaker``.
    public struct CircuitBreakerState: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The state.
        public let state: CircuitBreaker.State
        /// The number of calls in the window of a closed breaker; 0 in other states.
        public let calls: Int
        /// The number of failed calls in the window.
        public let failed: Int
        /// The number of slow calls in the window.
        public let slow: Int
    }

    /// The state of a ``RetryBudget``.
    public struct RetryBudgetState: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The limits.
        public let limits: RetryBudget.Limits
        /// The number of tokens in the bucket.
        public let tokens: Double
    }

    /// The state of a ``SingleFlight``.
    public struct SingleFlightState: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The number of keys with a running call or a value.
        public let keys: Int
    }

    /// The state of an ``Intake``.
    public struct IntakeState: Sendable, Equatable {
        /// The name.
        public let name: String
        /// The maximum number of unhandled elements.
        public let limit: Int
        /// The number of unhandled elements.
        public let unhandled: Int
    }

    /// The state of a ``Drain``.
    public struct DrainState: Sendable, Equatable {
        /// The name.
        public let name: String
        /// Whether the drain was stopped.
        public let isStopped: Bool
        /// The running sources and counted work.
        public let running: Drain.Leftover
    }

    /// Returns the state of all limits. Any thread may call this function.
    public static func snapshot() -> Snapshot {
        var snapshot = Snapshot()
        // Each reference may be the last one, so it is released outside the lock.
        for limit in members.withLock({ $0 }).values { limit.object?.describe(in: &snapshot) }
        snapshot.bulkheads.sort { $0.name < $1.name }
        snapshot.rateLimiters.sort { $0.name < $1.name }
        snapshot.circuitBreakers.sort { $0.name < $1.name }
        snapshot.retryBudgets.sort { $0.name < $1.name }
        snapshot.singleFlights.sort { $0.name < $1.name }
        snapshot.intakes.sort { $0.name < $1.name }
        snapshot.drains.sort { $0.name < $1.name }
        return snapshot
    }

    // MARK: Called by the limits

    private static let members = Locked<[ObjectIdentifier: ListedObject]>([:])

    static func list(_ object: any Observed) {
        let member = ListedObject(object)
        members.withLock { $0[ObjectIdentifier(object)] = member }
    }

    static func unlist(_ object: any Observed) {
        let old = members.withLock { $0.removeValue(forKey: ObjectIdentifier(object)) }
        withExtendedLifetime(old) {}
    }
}

protocol Observed: AnyObject, Sendable {
    /// Adds this object's state to `snapshot`. Called without a lock.
    func describe(in snapshot: inout Resilience.Snapshot)
}

// @unchecked Sendable because only the initialiser writes the reference.
private final class ListedObject: @unchecked Sendable {
    weak var object: (any Observed)?

    init(_ object: any Observed) {
        self.object = object
    }
}
