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

func greet(_: String, completion: @escaping (String) -> Void) {}
func load(_: String, completion: @escaping (String?, LoadError?) -> Void) {}

extension Count_swift {
    var orders: Observable<Order> { .never() }
}

extension And_swift {
    var isConnected: Observable<Bool> { .never() }
    var isAuthorized: Observable<Bool> { .never() }
}

extension ExponentialBackoff_swift {
    var request: Observable<Int> { .never() }
}

extension IgnoreErrors_swift {
    var readings: Observable<Int> { .never() }
}

extension Retry_swift {
    var request: Observable<Int> { .never() }
}

extension Ignore_swift {
    var ports: Observable<Int> { .never() }
}

extension FilterMap_swift {
    var numbers: Observable<Int> { .never() }
}

extension MapAt_swift {
    var people: Observable<Person> { .never() }
}

extension MaterializedEvents_swift {
    var ids: Observable<Int> { .never() }
    func request(_: Int) -> Observable<String> { .never() }
}

extension Apply_swift {
    var requests: Observable<Int> { .never() }
    func show(_: Int) {}
}

extension SubscribeWeak_swift {
    typealias Screen = SubscribeWeak_swift

    var prices: Observable<Int> { .never() }
    func handle(_: Event<Int>) {}
    func show(_: Int) {}
    func complain(_: any Error) {}
}
