public import CRxCore

/// To find leaks, counts the library's live resources: chains, disposables, subjects and the nodes of observers in
/// subjects. Unlike in RxSwift's tracing build, observables are not counted.
///
/// Counting is off by default. While it is off, it has almost no cost. Switch it on early, with ``isTracing`` or the
/// environment variable `RX_RESOURCES_TRACING=1`: a resource that is made while counting is off is never counted.
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

    /// The number of live resources that were made while ``isTracing`` was set.
    public static var total: Int32 {
        Int32(truncatingIfNeeded: crx_resources_total())
    }

    /// The number of live sequences that `observe(on:)` made for a ``SerialDispatchQueueScheduler`` while ``isTracing``
    /// was set.
    public static var numberOfSerialDispatchQueueObservables: Int32 {
        Int32(truncatingIfNeeded: SerialObservable.count.value)
    }

    /// Adds one to ``total`` for a resource of the program, unless ``isTracing`` is off. Returns ``total``.
    @discardableResult
    public static func incrementTotal() -> Int32 {
        isTracing ? Int32(truncatingIfNeeded: crx_resources_add_full(1)) : total
    }

    /// Subtracts one from ``total``; see ``incrementTotal()``.
    @discardableResult
    public static func decrementTotal() -> Int32 {
        isTracing ? Int32(truncatingIfNeeded: crx_resources_add_full(-1)) : total
    }

    /// Adds `difference` to ``total``. The caller has checked ``isTracing``.
    @usableFromInline
    package static func count(_ difference: Int) {
        crx_resources_add_full(difference)
    }

    /// Counts a resource if ``isTracing`` is set. The resource stores the result for ``checkOut(_:)``, so ``total``
    /// stays correct even if ``isTracing`` changes while the resource lives.
    @inlinable
    package static func checkIn() -> Bool {
        guard isTracing else { return false }
        count(1)
        return true
    }

    @inlinable
    package static func checkOut(_ isCounted: Bool) {
        if isCounted { count(-1) }
    }

    /// Counts a sequence until the sequence releases the returned object.
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
