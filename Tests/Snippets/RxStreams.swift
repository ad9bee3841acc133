let blocks = [
    1: Block(
        uses: {
            let incoming = Observable.of(Order(id: "o-1", customer: "c-1"), Order(id: "o-2", customer: "c-1"))
            _ = try serve(incoming) { order in happened("charged \(order.id)") }
        },
        happens: ["charged o-1", "charged o-2"])
]
