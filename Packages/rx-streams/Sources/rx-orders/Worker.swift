import Foundation
import RxResilience
import RxStreams
import RxStreamsPostgreSQL
import RxSwift
import ServiceLifecycle
import Synchronization

/// Charges orders, writes each to its ledger, and acknowledges it.
final class Worker: Service {
    private struct State {
        var counts = Counts()
        var hasDrained = false
    }

    private struct Counts {
        var handled = 0, retried = 0, dead = 0, untold = 0
    }

    private static let scheduler = ConcurrentDispatchQueueScheduler(qos: .default)

    private let orders: DurableStream<Order>
    private let charges: DatabaseCharges?
    private let options: WorkerOptions
    private let client: PaymentClient
    private let ledger: Ledger
    private let drain = Drain()
    private let state = Mutex(State())
    /// Blocks calls while the API fails, so that it can recover and orders lose no attempts.
    private let breaker = CircuitBreaker(
        "payments", window: .calls(50), minimumCalls: 20, openFor: .seconds(1), trials: 5,
        judging: { $0 is PaymentClient.Declined ? .success : .failure })

    init(_ broker: any Broker, _ options: WorkerOptions, _ client: PaymentClient) throws {
        orders = broker.orders
        charges = options.inOrder ? nil : (broker as? PostgreSQLBroker).map(DatabaseCharges.init)
        self.options = options
        self.client = client
        ledger = try Ledger(folder: options.ledgers)
    }

    var hasDrained: Bool { state.withLock { $0.hasDrained } }

    func stop() { drain.stop() }

    func run() async throws {
        let drain = drain
        Log.say("working", [("concurrency", options.concurrency), ("inOrder", options.inOrder)])
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                try await self.charges?.prepare()
                for try await outcome in self.outcomes.values(buffering: .pausing(64)) { self.count(outcome) }
                self.state.withLock { $0.hasDrained = true }
            }
            tasks.addTask {
                try await gracefulShutdown()
                drain.stop()
                try await Task.sleep(for: .seconds(self.options.drain))
            }
            tasks.addTask {
                while true {
                    try await Task.sleep(for: .seconds(10))
                    self.tell("at work")
                }
            }
            defer { tasks.cancelAll() }
            do { try await tasks.next() } catch is CancellationError {}
        }
        tell(hasDrained ? "drained" : "not drained")
    }

    private var outcomes: Observable<Outcome<Order>> {
        let retry = RetryPolicy.exponential(from: .milliseconds(200), limit: .seconds(5))
        let deadline = RxTimeInterval.seconds(options.deadline)
        if options.inOrder {
            return orders.work(
                as: Names.group, concurrency: options.concurrency, inOrderBy: \.customer, retry: retry,
                attempts: options.attempts, dead: Names.dead, deadline: deadline, until: drain, handler: handle)
        }
        if let charges {
            return orders.work(
                as: Names.group, concurrency: options.concurrency, retry: retry, attempts: options.attempts,
                dead: Names.dead, deadline: deadline, until: drain,
                inTransaction: { [handle] order, transaction in
                    try await charges.record(order, in: transaction)
                    try await handle(order)
                })
        }
        return orders.work(
            as: Names.group, concurrency: options.concurrency, retry: retry, attempts: options.attempts,
            dead: Names.dead, deadline: deadline, until: drain, handler: handle)
    }

    /// If a charged order is delivered again, the API recognises its id, and the ledger records `again`.
    private var handle: @Sendable (Order) async throws -> Void {
        { [breaker, client, ledger] order in
            let wasChargedBefore = try await Self.patiently(breaker) { try await client.charge(order) }
            try await ledger.record("\(order.id) \(wasChargedBefore ? "again" : "ok")")
        }
    }

    /// Waits until the breaker permits a call. The wait preserves the order, and does not count as an attempt. While
    /// all handlers wait, nothing is pulled.
    private static func patiently<Value>(
        _ breaker: CircuitBreaker, _ call: () async throws -> Value
    ) async throws -> Value {
        while true {
            do {
                return try await breaker.run(call)
            } catch let refusal as CircuitOpen {
                _ = try await Single<Int>.timer(refusal.retryAfter ?? .milliseconds(100), scheduler: scheduler).value
                try await Task.sleep(for: .milliseconds(.random(in: 0..<200)))
            }
        }
    }

    private func count(_ outcome: Outcome<Order>) {
        state.withLock { state in
            switch outcome {
            case .handled: state.counts.handled += 1
            case .retrying: state.counts.retried += 1
            case .dead: state.counts.dead += 1
            case .untold: state.counts.untold += 1
            }
        }
    }

    private func tell(_ event: String) {
        let counts = state.withLock { $0.counts }
        Log.say(
            event,
            [
                ("handled", counts.handled), ("retried", counts.retried), ("dead", counts.dead),
                ("untold", counts.untold),
            ])
    }
}
