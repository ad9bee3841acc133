struct Order {
    var isOpen = true
}

struct Person {
    var name = ""
}

struct Unavailable: Error {}
struct Timeout: Error {}
struct LoadError: Error {}

let background = SerialDispatchQueueScheduler(qos: .utility)

func greet(_ name: String, completion: @escaping (String) -> Void) { completion("Hello, \(name)") }
func load(_: String, completion: @escaping (String?, LoadError?) -> Void) { completion("Hello", nil) }

extension Count_swift {
    var orders: Observable<Order> { .of(Order(), Order(isOpen: false)) }
}

extension And_swift {
    var isConnected: Observable<Bool> { .just(true) }
    var isAuthorized: Observable<Bool> { .just(false) }
}

extension ExponentialBackoff_swift {
    var request: Observable<Int> { .just(1) }
}

extension IgnoreErrors_swift {
    var readings: Observable<Int> { .of(1, 2) }
}

extension Retry_swift {
    var request: Observable<Int> { .just(1) }
}

extension Ignore_swift {
    var ports: Observable<Int> { .of(80, 8_080) }
}

extension FilterMap_swift {
    var numbers: Observable<Int> { .of(1, 2) }
}

extension MapAt_swift {
    var people: Observable<Person> { .just(Person(name: "Ada")) }
}

extension MaterializedEvents_swift {
    var ids: Observable<Int> { .of(1, 2) }
    func request(_ id: Int) -> Observable<String> { id == 1 ? .just("a") : .error(Unavailable()) }
}

extension Apply_swift {
    var requests: Observable<Int> { .of(1, 2) }
    func show(_: Int) {}
}

extension SubscribeWeak_swift {
    typealias Screen = SubscribeWeak_swift

    var prices: Observable<Int> { .of(1, 2) }
    func handle(_: Event<Int>) {}
    func show(_: Int) {}
    func complain(_: any Error) {}
}
