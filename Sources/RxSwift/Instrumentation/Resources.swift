public import CRxCore

/// Counts the library's living resources, to find leaks: chains, disposables, subjects and the nodes of observers in
/// subjects.
///
/// Unlike in RxSwift's tracing build, observables are not counted, because each would have to store whether it was
/// counted.
///
/// Counting is off by default and then costs almost nothing. Switch it on with ``isTracing``, or for a whole run with
/// the environment variable `RX_RESOURCES_TRACING=1`. Switch it on early: a resource that is made while counting is off
/// is never counted.
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

    /// The number of living resources that were made while ``isTracing`` was set.
    public static var total: Int32 {
        Int32(truncatingIfNeeded: crx_resources_total())
    }

    /// The number of living sequences that `observe(on:)` made for a ``SerialDispatchQueueScheduler`` while
    /// ``isTracing`` was set.
    public static var numberOfSerialDispatchQueueObservables: Int32 {
        Int32(truncatingIfNeeded: SerialObservable.count.value)
    }

    /// Adds one to ``total``, for a resource of the program's own. Does nothing while ``isTracing`` is off.
    ///
    /// - Returns: the new total.
    @discardableResult
    public static func incrementTotal() -> Int32 {
        isTracing ? Int32(truncatingIfNeeded: crx_resources_add_full(1)) : total
    }

    /// Subtracts one from ``total``, for a resource of the program's own. Does nothing while ``isTracing`` is off.
    ///
    /// - Returns: the new total.
    @discardableResult
    public static func decrementTotal() -> Int32 {
        isTracing ? Int32(truncatingIfNeeded: crx_resources_add_full(-1)) : total
    }

    /// Adds to the total. The caller has checked ``isTracing``.
    @usableFromInline
    package static func count(_ difference: Int) {
        crx_resources_add_full(difference)
    }

    /// Counts a new resource if counting is on. The resource passes the result to ``checkOut(_:)`` when it is freed.
    ///
    /// The resource stores the result, so that the total stays correct when ``isTracing`` changes during its life.
    @inlinable
    package static func checkIn() -> Bool {
        guard isTracing else { return false }
        count(1)
        return true
    }

    /// Subtracts a resource from the total if it was counted.
    @inlinable
    package static func checkOut(_ isCounted: Bool) {
        if isCounted { count(-1) }
    }

    /// Counts a sequence that `observe(on:)` makes for a ``SerialDispatchQueueScheduler``. The sequence retains the
    /// result, and counts as long as the result lives.
    @usableFromInline
    static func countSerialObservable(on scheduler: any ImmediateSchedulerType) -> AnyObject? {
        scheduler is SerialDispatchQueueScheduler ? SerialObservable() : nil
    }
}

private final class SerialObservable {
    static let count = AtomicCount()

    init() {
        Self.count.add(1)
    }

    deinit {
        Self.count.add(-1)
    }
}
