/// The state of a program at one moment. Times are monotonic and, like spans, in nanoseconds.
struct InspectorInput: Sendable {
    struct Chain: Sendable {
        var id: Int
        var parent: Int?
        var isInner = false
        var operators: [String]
        var age = 0
        var events: Int?
        var queues: [Queue] = []
        var inner = 0
        var innerMade = 0
        var innerFailed = 0
        var cause: Int?
        var site: [String] = []
        /// The place of each operator in the source code; nil if unknown.
        var places: [String?] = []
    }

    struct Queue: Sendable {
        /// The operator whose queues are emptied by schedulers.
        static let hop = "observe(on:)"

        var boundary = Self.hop
        /// The scheduler's name, or the operator's name if no scheduler empties the queue.
        var scheduler: String
        var depth: Int
        var bound: Int?
        var isPausing = false
    }

    struct Scheduler: Sendable {
        var name: String
        var hops = 0
        var depth = 0
        var highWater = 0
        var latency = 0
        var longestLatency = 0
    }

    struct Boundary: Sendable {
        var name: String
        /// The bound; nil if unlimited.
        var bound: Int?
        var live = 0
        var depth = 0
        var highWater = 0
        var pauses = 0
        var drops = 0
    }

    struct Limit: Sendable {
        struct Fill: Sendable {
            var label: String
            var value: Double
            /// The limit; nil if unlimited.
            var limit: Double?
            /// Whether `value` counts waiting work. If so, a warning is shown when it stays at the limit.
            var isQueue = false
        }

        var kind: String
        var name: String
        /// The state of a breaker or a drain.
        var state: String?
        var fills: [Fill] = []
    }

    struct Stall: Sendable {
        var at: Int
        var scheduler: String
        var duration: Int
        var callStack: [String] = []
    }

    struct Failure: Sendable {
        var at: Int
        var type: String
        /// The text; nil if the inspector does not show error texts.
        var text: String?
        var trail: [String] = []
        var callStack: [String] = []
        /// The number of consecutive equal errors up to this one.
        var count = 1
    }

    struct Runaway: Sendable {
        enum Fault: Sendable {
            case retry, inner, loop
        }

        var at: Int
        var fault: Fault
        var subject: String
        var text: String
    }

    var now: Int
    /// The time in milliseconds since 1970.
    var wall = 0
    var chains: [Chain] = []
    var subscriptions = 0
    var events = 0
    var errors = 0
    var timers = 0
    var isCounting = true
    var schedulers: [Scheduler] = []
    var boundaries: [Boundary] = []
    var limits: [Limit] = []
    var stalls: [Stall] = []
    var failures: [Failure] = []
    var runaways: [Runaway] = []
    var retries: [String: Int] = [:]
    var changes: [String: Int] = [:]
}
