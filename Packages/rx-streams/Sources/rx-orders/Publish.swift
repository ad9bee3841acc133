import ArgumentParser
import RxResilience
import RxStreams
import RxSwift

struct Publish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Publishes orders; an order that was published before is stored once.")

    @OptionGroup var broker: BrokerOption
    @Option(help: "The number of orders.") var count = 1_000
    @Option(help: "The number of the first order.") var from = 1
    @Option(help: "Orders per second; by default, all at once.") var rate: Int?
    @Option(help: "The maximum number of orders in flight.") var inFlight = 256

    func validate() throws {
        try Order.check(count: count)
        try from.check("--from", atLeast: 1)
        if from > Order.last - (count - 1) {
            throw ValidationError("--from and --count go beyond the last number, \(Order.last)")
        }
        try rate?.check("--rate", atLeast: 1)
        try inFlight.check("--in-flight", atLeast: 1)
    }

    func run() async throws {
        let broker = try broker.open()
        try await publish(to: broker)
        await broker.close()
    }

    func publish(to broker: any Broker) async throws {
        let positions = try await orders.publish(to: broker.orders, id: \.id, inFlight: inFlight)
            .reduce((count: 0, last: Position(0))) { ($0.count + 1, max($0.last, $1)) }.asSingle().value
        Log.say("published", [("orders", positions.count), ("last", positions.last)])
    }

    /// The sequence pauses until earlier orders are stored.
    private var orders: Observable<Order> {
        let numbers = Observable.range(start: from, count: count)
        guard let rate else { return numbers.map { Order($0) } }
        let limiter = RateLimiter(rate, per: .seconds(1), burst: max(1, rate / 50))
        return numbers.concatMapAsync { number in try await limiter.run { Order(number) } }.bounded(16)
    }
}
