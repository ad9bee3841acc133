import RxStreams
import RxSwift
import Testing

extension FaultTests {
    @Test(arguments: [false, true])
    func refusedDeadLettersAreLoggedOnceUntilStored(inOrder: Bool) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [inOrder = inOrder as Bool] in
            try FaultTests().giveUpTwoThatAreRefused(inOrder: inOrder)
        }
        #expect(warnings(in: result) == ["rx.position=1", "rx.position=2"])
    }

    @Test func deadLetterNotStoredWithoutConnectionIsNotLogged() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try FaultTests().deadLetterNotStoredReportsUntold()
        }
        #expect(result != nil && warnings(in: result) == [])
    }

    /// Gives up two messages. The stream of dead letters refuses each dead letter for half a minute.
    private func giveUpTwoThatAreRefused(inOrder: Bool) throws {
        try broker.run {
            @Sendable func fail(_: Int) throws { throw BrokerError.refused("no") }
            let (driver, orders) = (broker.driver, orders)
            let work =
                inOrder
                ? orders.work(as: "g", inOrderBy: { _ in 0 }, attempts: 1, handler: fail).subscribe()
                : orders.work(as: "g", attempts: 1, handler: fail).subscribe()
            for order in 1...2 {
                try await driver.ensure(StreamSettings("orders-dead", subjects: ["dead.orders"]))
                try await publish(order...order)
                try await driver.sleep(.seconds(30))
                try await driver.ensure(StreamSettings("orders-dead"))
                try await settle()
            }
            work.dispose()
            let count = try await driver.summary(of: "orders-dead").count
            precondition(count == 2)
        }
    }

    @Test func undecodableMessagesAreLoggedAtMostTenTimesAMinute() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try FaultTests().handleManyThatCannotBeDecoded()
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("a message cannot be decoded as Int") }
        #expect(result != nil && (1...20).contains(lines.count), "\(lines.count)")
    }

    private func handleManyThatCannotBeDecoded() throws {
        try broker.run {
            try await orders.ensure()
            for number in 1...500 {
                _ = try await broker.driver.append([NewMessage("orders", [0], id: "\(number)")], to: "orders")
            }
            let work = orders.work(as: "g", handler: { _ in }).subscribe()
            try await settle()
            work.dispose()
        }
    }

    @Test func unavailableEngineIsLoggedOnceAMinute() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try FaultTests().publishForThreeMinutesToAnEngineWithoutRoom()
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("an operation of the engine failed") }
        #expect(lines.count == 3, "\(lines)")
        #expect(lines.allSatisfy { $0.contains("rx.stream=orders") && $0.contains("no room") }, "\(lines)")
    }

    private func publishForThreeMinutesToAnEngineWithoutRoom() throws {
        try broker.run {
            let base = broker.driver
            let driver = OtherDriver(base, append: { _, _ in throw BrokerError.unavailable("no room") })
            let publishing = Observable.just(1).publish(
                to: OtherBroker(driver: driver).stream("orders", of: Int.self)
            ).subscribe()
            try await base.sleep(.seconds(180))
            publishing.dispose()
        }
    }

    private func warnings(in result: ExitTest.Result?) -> [String] {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("a dead letter cannot be stored") }
            .flatMap { $0.split(separator: " ") }.filter { $0.hasPrefix("rx.position=") }.map(String.init)
    }
}
