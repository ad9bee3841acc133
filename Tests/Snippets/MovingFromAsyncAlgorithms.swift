struct Exchange: Sendable {
    func prices(of _: String) -> AsyncStream<Double> { AsyncStream { _ in } }
}

let exchange = Exchange()
let symbols = AsyncStream<String> { _ in }
func show(_: Double) async {}
