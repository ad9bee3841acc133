struct Engine: Sendable {
    static func start() async throws -> Engine { Engine() }

    func broker() async throws -> any Broker { try SQLiteBroker(path: "streams.sqlite") }
}

func MyDriver(_ address: String) -> any LiveDriver { try! SQLiteBroker(path: address).driver }

let blocks = [
    1: Block(
        uses: {
            try await store([1], in: MyBroker(address: "streams.sqlite").stream("numbers", of: Int.self))
            happened("stored")
        },
        happens: ["stored"]),
    2: Block(
        uses: {
            for promise in ConformanceCase.all.prefix(2) {
                try await keeps(promise)
                happened("kept a promise")
            }
        },
        happens: ["kept a promise"]),
]
