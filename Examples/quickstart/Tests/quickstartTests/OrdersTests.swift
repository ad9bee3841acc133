import RxResilience
import RxSwift
import RxTest
import Synchronization
import Testing

@testable import quickstart

/// On virtual time: `scheduler.advanceTo(time)` runs all work that is due until `time`, without waiting.
final class OrdersTests: Sendable {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001)
    private let drain = Drain()
    private let calls = Atomic(0)

    /// Payments take `span` milliseconds and fail for amounts above 1 000.
    private func orders(paymentsTake span: Int = 5) -> Orders {
        Orders(scheduler: scheduler) { [self] order in
            .deferred { [self] in
                calls.add(1, ordering: .relaxed)
                return Single<Int>.timer(.milliseconds(span), scheduler: scheduler).map { _ in
                    if order.amount > 1_000 { throw PaymentsUnavailable() }
                    return "order \(order.id)"
                }
            }
        }
    }

    @Test func orderChargedSendsReceipt() {
        let orders = orders()
        let receipts = scheduler.createObserver(String.self)
        let listening = orders.receipts.subscribe(receipts)
        let running = orders.pipeline(until: drain, on: scheduler).subscribe()
        #expect(orders.intake.offer(Order(id: 7, amount: 1)).isAccepted)
        scheduler.advanceTo(10)
        #expect(receipts.events.map(\.value.element) == ["order 7"])
        #expect(orders.handled.load(ordering: .relaxed) == 1)
        running.dispose()
        listening.dispose()
    }

    @Test func stopWithOrdersInWorkCompletesWhenAllAreHandled() {
        let orders = orders()
        let results = scheduler.createObserver(Result<String, any Error>.self)
        let running = orders.pipeline(until: drain, on: scheduler).subscribe(results)
        for id in 1...100 { #expect(orders.intake.offer(Order(id: id, amount: 1)).isAccepted) }
        drain.stop()
        #expect(!orders.intake.offer(Order(id: 101, amount: 1)).isAccepted)
        #expect(!orders.health.report().isReady)
        scheduler.start()
        #expect(orders.handled.load(ordering: .relaxed) == 100)
        #expect(results.events.last?.value.isCompleted == true)
        running.dispose()
    }

    @Test func intakeFullRefusesOrder() {
        let orders = orders()
        let running = orders.pipeline(until: drain, on: scheduler).subscribe()
        for id in 1...1_000 { #expect(orders.intake.offer(Order(id: id, amount: 1)).isAccepted) }
        #expect(!orders.intake.offer(Order(id: 1_001, amount: 1)).isAccepted)
        scheduler.start()
        #expect(orders.handled.load(ordering: .relaxed) == 1_000)
        running.dispose()
    }

    @Test func paymentsFailingOpenBreaker() {
        let orders = orders()
        let running = orders.pipeline(until: drain, on: scheduler).subscribe()
        for id in 1...100 { #expect(orders.intake.offer(Order(id: id, amount: 2_000)).isAccepted) }
        scheduler.advanceTo(1_000)
        #expect(orders.handled.load(ordering: .relaxed) == 100)
        // The breaker opens at the 20th failure, while 32 calls run, and rejects all later calls.
        #expect(calls.load(ordering: .relaxed) <= 51)
        #expect(orders.health.report().state == .degraded)
        running.dispose()
    }

    @Test func paymentsHangingFailsOrderWithinDeadline() {
        let orders = orders(paymentsTake: 60_000)
        let results = scheduler.createObserver(Result<String, any Error>.self)
        let running = orders.pipeline(until: drain, on: scheduler).subscribe(results)
        #expect(orders.intake.offer(Order(id: 1, amount: 1)).isAccepted)
        scheduler.advanceTo(2_001)
        #expect(results.events.count == 1)
        #expect(throws: (any Error).self) { try results.events.first?.value.element?.get() }
        running.dispose()
    }
}
