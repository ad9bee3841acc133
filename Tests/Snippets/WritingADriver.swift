struct Engine: Sendable {
    static func start() async throws -> Engine { Engine() }

    func broker() async throws -> any Broker { fatalError("nobody calls this: blocks are compiled only") }
}

func MyDriver(_ address: String) -> any LiveDriver { fatalError("nobody calls this: blocks are compiled only") }
