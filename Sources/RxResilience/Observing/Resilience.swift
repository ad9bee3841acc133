public import Dispatch
public import RxSwift
import Synchronization

/// Observes the limits of a program: an event for each call, and a snapshot of all limits.
///
///     let observation = Resilience.observe { source, event in
///         if event == .rejected { log("\(source.name) is full") }
///     }
///     let fullest = Resilience.snapshot().bulkheads.max { $0.waiting < $1.waiting }
///
/// Without an observer nothing is measured or allocated; a call reads one flag. A limit appears in snapshots until it
/// is released. See <doc:ObservingLimits>.
public enum Resilience {
    /// The kinds of objects and operators that send events.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A ``Bulkhead``.
        case bulkhead
        /// A ``RateLimiter``.
        case rateLimiter
        /// A ``CircuitBreaker``.
        case circuitBreaker
        /// `retry` and `retrying`. The source's name is that of the budget; without a budget, `retry`.
        case retry
        /// A ``RetryBudget``.
        case retryBudget
        /// A ``SingleFlight``.
        case singleFlight
        /// `hedged` and `hedging`. The source's name is the argument `as:`, by default `hedged`.
        case hedge
        /// `timeout`, `deadline` and `withDeadline`. The source's name is that of the ``TimeLimit``; without a limit,
        /// `timeout` or `deadline`.
        case timeout
        /// `batched`. The source's name is the argument `as:`, by default `batched`.
        case batch
        /// An ``Intake``.
        case intake
        /// A ``Drain``.
        case drain
    }

    /// The object or operator that sends an event.
    public struct Source: Sendable, Hashable {
        /// The source's kind.
        public let kind: Kind

        /// The source's name.
        public let name: String

        /// Creates a source from `kind` and `name`, for use in tests.
        public init(kind: Kind, name: String) {
            self.kind = kind
            self.name = name
        }
    }

    /// How a circuit breaker judges a call.
    public enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// The service works.
        case success
        /// The service does not work.
        case failure
        /// The call failed with an error that is not counted.
        case ignored
        /// The call was disposed of, or its task was cancelled.
        case cancelled
    }

    /// Why a failed call was not tried again.
    public enum GivingUp: String, Sendable, Hashable, CaseIterable {
        /// The policy permits no further attempt.
        case attempts
        /// The condition returned false, or the error forbids another attempt.
        case error
        /// The pause before the next attempt would outlast the deadline.
        case deadline
        /// The budget had no token.
        case budget
    }

    /// How a caller of a ``SingleFlight`` was served.
    public enum Sharing: String, Sendable, Hashable, CaseIterable {
        /// The caller made the call.
        case called
        /// The caller joined a running call.
        case joined
        /// The caller got the value of an earlier call.
        case kept
    }

    /// An event of a limit. Spans are measured on the clock of the source's scheduler. A span that began while
    /// no hook was set is reported as zero.
    public enum Event: Sendable, Equatable {
        /// A call of a bulkhead or a rate limiter begins. `waited` is the time since the call was made.
        case admitted(waited: RxTimeInterval)
        /// A bulkhead, a rate limiter or a breaker has rejected a call.
        case rejected
        /// A waiting call was disposed of or cancelled.
        case withdrawn(waited: RxTimeInterval)
        /// A call of a breaker has ended.
        case called(Outcome, isSlow: Bool, took: RxTimeInterval)
        /// A breaker has a new state.
        case changed(CircuitBreaker.State)
        /// A failed call will be tried again.
        case retried(pause: RxTimeInterval)
        /// A failed call will not be tried again.
        case gaveUp(GivingUp)
        /// A budget has given a token.
        case tokenTaken
        /// A budget has no token.
        case tokenDenied
        /// A caller of a single flight makes a call, waits for one, or gets a kept value.
        case shared(Sharing)
        /// A hedge was made.
        case hedged
        /// A hedged call was answered, or its last running subscription has failed.
        case answered(byHedge: Bool)
        /// A span was exceeded.
        case timedOut(TimeoutError.Span)
        /// A batch is sent. `waited` is the time since its first element.
        case batched(count: Int, waited: RxTimeInterval)
        /// An intake has accepted an element.
        case accepted
        /// An intake has refused an element.
        case refused(IntakeRefused.Reason)
        /// An intake's element has been handled. `took` is the time since it was accepted.
        case handled(isSuccess: Bool, took: RxTimeInterval)
        /// An intake's pipeline has ended before a waiting caller's element was handled.
        case dropped
        /// A wait for a drain has ended after `took`. `left` counts the sources and work that still run.
        case drained(left: Int, took: RxTimeInterval)
    }

    /// Calls a hook for each event of all limits, until the result is disposed of.
    ///
    /// Hooks are called on the thread that causes the event, without a lock, perhaps on several threads at once. They
    /// must be quick, and must not block.
    ///
    /// - Returns: a disposable that ends the calls. Releasing it has no effect. A call on another thread may finish
    ///   after the disposal.
    public static func observe(_ hook: @escaping @Sendable (Source, Event) -> Void) -> any Disposable {
        let place = hooks.withLock { hooks -> Int in
            hooks.next += 1
            hooks.all.append((hooks.next, hook))
            flag.store(true, ordering: .relaxed)
            return hooks.next
        }
        return Disposables.create {
            let old = hooks.withLock { hooks -> Hook? in
                guard let index = hooks.all.firstIndex(where: { $0.place == place }) else { return nil }
                defer { flag.store(!hooks.all.isEmpty, ordering: .relaxed) }
                return hooks.all.remove(at: index).hook
            }
            // The hook is released outside the lock.
            withExtendedLifetime(old) {}
        }
    }

    // MARK: Called by the limits

    typealias Hook = @Sendable (Source, Event) -> Void

    private struct HookList {
        var all: [(place: Int, hook: Hook)] = []
        var next = 0
    }

    private static let hooks = Locked(HookList())

    static var isObserved: Bool {
        @inline(__always) get { flag.load(ordering: .relaxed) }
    }

    /// Sends an event to the hooks. The caller must hold no lock.
    @inline(__always)
    static func tell(_ kind: Kind, _ name: @autoclosure () -> String, _ event: @autoclosure () -> Event) {
        if isObserved { send(Source(kind: kind, name: name()), event()) }
    }

    @inline(never)
    private static func send(_ source: Source, _ event: Event) {
        for (_, hook) in hooks.withLock({ $0.all }) { hook(source, event) }
    }
}

private let flag = Atomic(false)
