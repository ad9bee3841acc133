struct Order {
    var id = 0, price = 0
}

struct AnswerError: Error {
    let cause: any Error
}

struct Client {
    func answer() -> Single<Int> { .just(42) }
}

extension SequenceEqual_swift {
    var names: Observable<String> { .of("A", "B") }
}

extension Min_swift {
    var orders: Observable<Order> { .of(Order(id: 1, price: 2), Order(id: 2, price: 1)) }
}

extension Max_swift {
    var orders: Observable<Order> { .of(Order(id: 1, price: 2), Order(id: 2, price: 1)) }
}

extension ToDictionary_swift {
    var orders: Observable<Order> { .of(Order(id: 1), Order(id: 2)) }
}

extension MapError_swift {
    var client: Client { Client() }
}

extension TimerAt_swift {
    var midnight: RxTime { scheduler.now }
}
