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

extension GroupJoin_swift {
    var orders: Observable<Order> { .of(Order(id: 1), Order(id: 2)) }
    var prices: Observable<Int> { .of(3, 4) }
    var closing: Observable<Void> { .just(()).delay(.milliseconds(1), scheduler: scheduler) }
}

extension DelayedErrors_swift {
    var names: Observable<String> { .of("A", "B") }
    var prices: Observable<Int> { .of(3, 4) }
}

extension DelayingErrors_swift {
    struct Row {
        init(_: [Int]) {}
    }

    var ids: Observable<Int> { .of(1, 2) }
    var searches: Observable<Int> { .of(1, 2) }
    var sensors: [Observable<Int>] { [.just(1), .just(2)] }
    var columns: [Observable<Int>] { [.just(1), .just(2)] }
    var client: Loader { Loader() }
}

struct Loader {
    func load(_ id: Int) -> Observable<Int> { .just(id) }
    func results(for search: Int) -> Observable<Int> { .just(search) }
}

extension TimedReplaySubject_swift {
    var prices: Observable<Int> { .of(3, 4) }
}

extension RefCountAfter_swift {
    var prices: Observable<Int> { .of(3, 4) }
}
