import RxResilience
import RxSwift
import Synchronization

struct Order: Decodable, Sendable {
    let id, amount: Int
}

/// Accepts orders, charges them, and sends a receipt for each.
///
/// An `Observable` is a sequence whose elements arrive over time; a `Single` has exactly one element. Operators such as
/// `timeout` make a new sequence from an existing one. Nothing runs until `RxService` in Main.swift subscribes to the
/// result.
final class Orders: Sendable {
    let intake: Intake<Order>  // the entrance: holds at most 1 000 orders that are not handled yet, and refuses more
    let receipts = PublishSubject<String>()  // the exit: sends each receipt to the observers at that moment
    let health: Health  // answers the probes of an orchestrator
    let accepted = Atomic(0)
    let handled = Atomic(0)
    private let breaker: CircuitBreaker  // stops the calls for two seconds if half of the last fifty calls failed
    private let budget = RetryBudget("payments", ratio: 0.1)  // one retry for ten calls: prevents a storm of retries
    private let scheduler: any SchedulerType & Sendable
    private let pay: @Sendable (Order) -> Single<String>

    /// `scheduler` measures all spans; a test passes virtual time. `pay` charges an order at another service.
    init(scheduler: any SchedulerType & Sendable, pay: @escaping @Sendable (Order) -> Single<String>) {
        (self.scheduler, self.pay) = (scheduler, pay)
        intake = Intake(atMost: 1_000, name: "orders", scheduler: scheduler)
        breaker = CircuitBreaker(
            "payments", window: .calls(50), minimumCalls: 20, openFor: .seconds(2), scheduler: scheduler)
        health = Health(scheduler: scheduler)
        health.add(intake, overloadedAfter: .seconds(5))  // full for five seconds: not ready
        health.add(breaker)  // open: degraded, but ready
    }

    /// Completes when the drain has been stopped and all accepted orders are handled.
    ///
    /// At most 32 orders are charged at once. Results wait for the thread in a queue of at most 256. If it is full,
    /// charging pauses, the intake fills, and further orders are refused.
    func pipeline(until drain: Drain, on thread: any ImmediateSchedulerType) -> Observable<Result<String, any Error>> {
        health.add(drain)  // stopped: not ready
        return intake.handling(until: drain, atMost: 32) { [self] order in charge(order) }
            .observe(on: thread)
            .do(onNext: { [self] result in
                handled.add(1, ordering: .relaxed)
                if case .success(let receipt) = result { receipts.onNext(receipt) }
            })
            .bounded(256)
    }

    /// Charges an order. The sequence of operators matters: see the page "In which order" of RxResilience.
    private func charge(_ order: Order) -> Single<String> {
        pay(order)
            .timeout(total: .milliseconds(500), scheduler: scheduler)
            .guarded(by: breaker)
            .retry(
                .exponential(from: .milliseconds(20), limit: .milliseconds(200)), budget: budget,
                if: { !($0 is CircuitOpen) }, scheduler: scheduler
            )
            .deadline(in: .seconds(2), scheduler: scheduler)
    }
}
