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

extension Offer_swift {
    var readings: PublishSubject<Int> { PublishSubject() }
    var reading: Int { 1 }
    nonisolated(unsafe) static var dropped = 0
    var dropped: Int {
        get { Self.dropped }
        nonmutating set { Self.dropped = newValue }
    }
    func stop() {}
}

extension UnicastSubject_swift {
    struct Job: Sendable {}

    var job: Job { Job() }
    func run(_: Job) -> Observable<Int> { .just(1) }
    func store(_: Int) {}
    func reject(_: Job) {}
}

extension ShareFlow_swift {
    var table: [Int] { [1, 2] }
    var disk: SerialDispatchQueueScheduler { SerialDispatchQueueScheduler(qos: .default) }
    var network: SerialDispatchQueueScheduler { SerialDispatchQueueScheduler(qos: .default) }
    func store(_: Int) {}
    func send(_: Int) {}
}

extension Parallel_swift {
    var files: Observable<String> { .of("a", "b") }
    var known: Set<Int> { [1] }
    func hash(_ file: String) throws -> Int { file.count }
    func report(_: Int) {}
}

extension RefCountAfter_swift {
    var prices: Observable<Int> { .of(3, 4) }
}
