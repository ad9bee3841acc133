import Configuration
import Dispatch
import InMemoryLogging
import Logging
import RxConfiguration
import RxSwift
import RxTest
import ServiceLifecycle
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct ConfiguredLimitsTests {
    private let log = TestLog()
    private let provider = MutableInMemoryProvider(initialValues: [:])
    private let limits: ConfiguredLimits

    init() {
        limits = ConfiguredLimits(ConfigReader(provider: provider), logger: log.logger)
    }

    private func set(_ key: String, _ value: ConfigValue?) {
        provider.setValue(value, forKey: AbsoluteConfigKey(ConfigKey(key)))
    }

    private func whileWatching(_ body: () async throws -> Void) async throws {
        let limits = limits
        let run = Task { try await limits.run() }
        try await body()
        run.cancel()
        _ = try? await run.value
    }

    private func eventually(_ condition: () -> Bool) async -> Bool {
        for _ in 0..<1_000_000 {
            if condition() { return true }
            await Task.yield()
        }
        return condition()
    }

    /// Runs `body` on a thread outside the tasks' executor.
    private func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                body()
                continuation.resume()
            }
        }
    }

    @Test func presentValuesApplyAtTheBinding() {
        let bulkhead = Bulkhead(1, name: "database")
        set("limits.database.running", 5)
        limits.bind(bulkhead, to: "limits.database")
        #expect(bulkhead.limits == Bulkhead.Limits(running: 5, waiting: 0))
        #expect(log.handler.entries.map { "\($0.level) \($0.message)" } == ["info limit set"])
        #expect(log.handler.entries.first?.metadata["limits.database.running"] == "5")
    }

    @Test func changedValueAppliesAndRemovedKeyRestoresTheDefault() async throws {
        let bulkhead = Bulkhead(2, waiting: 3, name: "database")
        limits.bind(bulkhead, to: "db")
        try await whileWatching {
            set("db.running", 7)
            #expect(await eventually { bulkhead.limits == Bulkhead.Limits(running: 7, waiting: 3) })
            set("db.running", nil)
            #expect(await eventually { bulkhead.limits == Bulkhead.Limits(running: 2, waiting: 3) })
        }
        #expect(log.warnings.isEmpty)
    }

    @Test func refusedValueIsLoggedOnceWithItsKeyAndTheOldValueStays() async throws {
        let (bulkhead, other) = (Bulkhead(2, waiting: 3, name: "database"), TimeLimit(.seconds(1)))
        limits.bind(bulkhead, to: "db")
        limits.bind(other, to: "seconds")
        try await whileWatching {
            set("db.running", 0)
            #expect(await eventually { !log.warnings.isEmpty })
            // The limit must not change while `db.running` is invalid.
            set("db.waiting", 9)
            #expect(await eventually { log.warnings.count == 2 })
            #expect(bulkhead.limits == Bulkhead.Limits(running: 2, waiting: 3))
            set("seconds", 2.5)
            #expect(await eventually { other.span == .nanoseconds(2_500_000_000) })
            #expect(log.warnings == Array(repeating: "limit refused: bulkhead database db.running 0 calls", count: 2))
            set("db.running", 4)
            #expect(await eventually { bulkhead.limits == Bulkhead.Limits(running: 4, waiting: 9) })
        }
    }

    @Test(arguments: ["many", "2.5", ""]) func malformedValueIsLoggedAndTheOldValueStays(value: String) {
        let intake = Intake<Int>(atMost: 8, name: "orders")
        set("orders.atMost", ConfigValue(.string(value), isSecret: false))
        limits.bind(intake, to: "orders.atMost")
        #expect(intake.limit == 8)
        #expect(log.warnings == ["limit refused: intake orders orders.atMost \(value)"])
        #expect(log.handler.entries.first?.metadata["rx.reason"] == "The value must be a number: elements.")
    }

    @Test func booleanForANumberIsRefused() {
        let limit = QueueLimit(8, name: "lines")
        set("lines", true)
        limits.bind(limit, to: "lines")
        #expect(limit.count == 8 && log.warnings == ["limit refused: queue limit lines lines true"])
    }

    @Test func everyKeyOfARateLimiterIsRead() {
        let limiter = RateLimiter(1, per: .seconds(1))
        for (key, value) in [("calls", 20), ("burst", 4), ("waiting", 6)] as [(String, ConfigValue)] {
            set("mail.\(key)", value)
        }
        set("mail.spanSeconds", 0.5)
        limits.bind(limiter, to: "mail")
        #expect(
            limiter.limits
                == RateLimiter.Limits(calls: 20, per: .nanoseconds(500_000_000), burst: 4, waiting: 6))
        set("mail.spanSeconds", 0)
        limits.bind(limiter, to: "mail")
        #expect(log.warnings == ["limit refused: rate limiter limiter mail.spanSeconds nanoseconds(0)"])
    }

    @Test func everyKeyOfACircuitBreakerIsRead() {
        let breaker = CircuitBreaker("payments")
        let values: [(String, ConfigValue)] = [
            ("windowCalls", 7), ("minimumCalls", 3), ("failureRate", 0.25), ("slowRate", 0.75), ("slowAfterSeconds", 2),
            ("openForSeconds", 3), ("trials", 4),
        ]
        for (key, value) in values { set("payments.\(key)", value) }
        limits.bind(breaker, to: "payments")
        var expected = CircuitBreaker.Limits()
        expected.window = .calls(7)
        expected.minimumCalls = 3
        expected.failureRate = 0.25
        expected.slowRate = 0.75
        expected.slowAfter = .nanoseconds(2_000_000_000)
        expected.openFor = .nanoseconds(3_000_000_000)
        expected.trials = 4
        #expect(breaker.limits == expected)
        set("payments.failureRate", 50)
        limits.bind(breaker, to: "payments")
        #expect(
            log.warnings == [
                "limit refused: circuit breaker payments payments.failureRate 50.0 of the calls"
            ])
        set("payments.failureRate", nil)
        set("payments.windowSeconds", 10)
        limits.bind(breaker, to: "payments")
        #expect(breaker.limits.window == .span(.nanoseconds(10_000_000_000)))
    }

    @Test func everyKeyOfARetryBudgetIsRead() {
        let budget = RetryBudget(ratio: 0.1, perSecond: 1, scheduler: TestScheduler(initialClock: 0))
        for (key, value) in [("ratio", 0.5), ("burst", 4), ("perSecond", 2)] as [(String, ConfigValue)] {
            set("budget.\(key)", value)
        }
        limits.bind(budget, to: "budget")
        #expect(budget.limits == RetryBudget.Limits(ratio: 0.5, burst: 4, perSecond: 2))
    }

    @Test(arguments: [Double.infinity, .nan, 1e300, -1]) func impossibleSpanIsRefused(seconds: Double) {
        let limit = TimeLimit(.seconds(1))
        set("seconds", ConfigValue(.double(seconds), isSecret: false))
        limits.bind(limit, to: "seconds")
        #expect(limit.span == .seconds(1) && log.warnings.count == 1)
    }

    @Test func waitingCallStartsWhenTheConfigurationRaisesTheLimit() async throws {
        let bulkhead = Bulkhead(1, waiting: 1)
        limits.bind(bulkhead, to: "db")
        let calls = (0..<2).map { _ in Observable<Int>.never().admitted(by: bulkhead).subscribe() }
        #expect(bulkhead.waiting == 1)
        try await whileWatching {
            set("db.running", 2)
            #expect(await eventually { bulkhead.waiting == 0 })
        }
        for call in calls { call.dispose() }
    }

    @Test func changeDuringTheBindingAppliesAfterTheOlderSnapshot() async throws {
        let (bulkhead, later) = (Bulkhead(1, name: "database"), QueueLimit(1))
        let (isBinding, isReported) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let report = HookedReport {
            isBinding.signal()
            isReported.wait()
        }
        let limits = ConfiguredLimits(ConfigReader(provider: provider, accessReporter: report), logger: log.logger)
        let run = Task { try await limits.run() }
        set("db.running", 5)
        async let bound: Void = onThread { limits.bind(bulkhead, to: "db") }
        await onThread { isBinding.wait() }
        set("db.running", 7)
        // Limits change in the order of their bindings, so `later` changes last.
        limits.bind(later, to: "later")
        set("later", 9)
        #expect(await eventually { later.count == 9 })
        isReported.signal()
        await bound
        #expect(bulkhead.limits.running == 7)
        run.cancel()
        _ = try? await run.value
    }

    @Test func gracefulShutdownEndsTheService() async throws {
        let group = ServiceGroup(services: [limits], gracefulShutdownSignals: [], logger: log.logger)
        let run = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        try await run.value
    }
}
