public import CRxCore

/// Counts the library's living resources (chains, disposables, subjects and the places of observers in them), to find
/// what a program leaks.
///
/// Observables are not counted, as they are in RxSwift's tracing build: one that nobody subscribes to would have to
/// remember whether it was.
///
/// Counting is off by default and then costs next to nothing. Switch it on with ``isTracing``, or for a whole run with
/// the environment variable `RX_RESOURCES_TRACING=1`. What is made while it is off is never counted, so switch it on
/// first.
///
/// ```swift
/// Resources.isTracing = true
/// let before = Resources.total
/// useAndLetGo()
/// assert(Resources.total == before)
/// ```
public enum Resources {
    /// Whether resources are counted. Any thread may set it.
    @inlinable
    public static var isTracing: Bool {
        get { crx_resources_is_tracing() }
        set { crx_resources_set_tracing(newValue) }
    }

    /// How many of the resources made while ``isTracing`` was set are alive.
    public static var total: Int32 {
        Int32(truncatingIfNeeded: crx_resources_total())
    }

    /// How many of the sequences that `observe(on:)` made for a ``SerialDispatchQueueScheduler`` while ``isTracing``
    /// was set are alive.
    public static var numberOfSerialDispatchQueueObservables: Int32 {
        Int32(truncatingIfNeeded: SerialObservable.count.value)
    }

    /// Adds one to ``total``, for a resource of one's own. Does nothing while ``isTracing`` is off.
    ///
    /// - Returns: the new total.
    @discardableResult
    public static func incrementTotal() -> Int32 {
        isTracing ? Int32(truncatingIfNeeded: crx_resources_add_full(1)) : total
    }

    /// Takes one from ``total``, for a resource of one's own. Does nothing while ``isTracing`` is off.
    ///
    /// - Returns: the new total.
    @discardableResult
    public static func decrementTotal() -> Int32 {
        isTracing ? Int32(truncatingIfNeeded: crx_resources_add_full(-1)) : total
    }

    /// Adds to the total; for who has looked at ``isTracing`` already.
    @usableFromInline
    package static func count(_ difference: Int) {
        crx_resources_add_full(difference)
    }

    /// Counts a resource in, if resources are counted at all; what it returns goes to ``checkOut(_:)`` when the
    /// resource is freed.
    ///
    /// The resource keeps the answer, so that the total stays true when ``isTracing`` changes during its life.
    @inlinable
    package static func checkIn() -> Bool {
        guard isTracing else { return false }
        count(1)
        return true
    }

    /// Counts a resource out that was counted in.
    @inlinable
    package static func checkOut(_ isCounted: Bool) {
        if isCounted { count(-1) }
    }

    /// Counts a sequence that hops to a serial dispatch queue; what it returns is kept as long as the sequence lives.
    @usableFromInline
    static func countSerialObservable(on scheduler: any ImmediateSchedulerType) -> AnyObject? {
        scheduler is SerialDispatchQueueScheduler ? SerialObservable() : nil
    }
}

/// One sequence that hops to a serial dispatch queue, as long as it lives.
private final class SerialObservable {
    static let count = AtomicCount()

    init() {
        Self.count.add(1)
    }

    deinit {
        Self.count.add(-1)
    }
}
