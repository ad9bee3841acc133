import RxSwift

struct PaymentsUnavailable: Error {}

/// Simulates a call to another service, in 5 ms. Write your own call here. Amounts above 1 000 fail, so that you can
/// see the breaker open.
func pay(_ order: Order, on scheduler: any SchedulerType) -> Single<String> {
    Single<Int>.timer(.milliseconds(5), scheduler: scheduler).map { _ in
        guard order.amount <= 1_000 else { throw PaymentsUnavailable() }
        return "charged \(order.amount) for order \(order.id)"
    }
}
