import RxResilience
import RxStreams
import Synchronization
import Testing

extension FaultTests {
    @Test func verdictAfterLongOutageIsSentWithinOneSecond() throws {
        try broker.run {
            try await publish(1...1)
            let held = Mutex<Delivery<Int>?>(nil)
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(1_000)).subscribe(onNext: { delivery in
                held.withLock { $0 = delivery }
            })
            try await broker.driver.sleep(.seconds(1))
            broker.disconnect(for: .seconds(100))
            held.withLock { $0 }?.ack()
            try await broker.driver.sleep(.seconds(101))
            #expect(try await orders.summary(of: "g").lag == 0)
            deliveries.dispose()
        }
    }

    @Test func verdictAfterGroupRemovalReportsUntold() throws {
        try broker.run {
            try await publish(1...1)
            let (drain, untold, ended) = (Drain(), Seen(), Seen())
            let work = orders.work(as: "g", deadline: .seconds(60), until: drain) { _ in
                try await broker.driver.sleep(.seconds(10))
            }.subscribe(
                onNext: { if case .untold(let delivery) = $0 { untold.add(delivery.element) } },
                onCompleted: { ended.add(1) })
            try await broker.driver.sleep(.seconds(1))
            drain.stop()
            try await orders.remove(group: "g")
            try await broker.driver.sleep(.seconds(20))
            work.dispose()
            #expect(untold.all == [1])
            #expect(ended.all == [1])
        }
    }

    @Test func verdictNotSentBeforeDeadlineReportsUntoldAndRedelivers() throws {
        try broker.run {
            try await publish(1...1)
            let handled = Seen()
            let untold = Seen()
            let work = orders.work(as: "g", deadline: .seconds(5)) { order in
                handled.add(order)
                if handled.all.count == 1 { broker.disconnect(for: .seconds(30)) }
            }.subscribe(onNext: { if case .untold(let delivery) = $0 { untold.add(delivery.attempt) } })
            try await settle()
            work.dispose()
            #expect(handled.all == [1, 1])
            #expect(untold.all == [1])
        }
    }

    @Test func verdictLostRedeliversMessage() throws {
        try broker.run {
            try await publish(1...10)
            broker.loseVerdicts(2)
            let handled = Seen()
            let work = orders.work(as: "g", deadline: .seconds(5)) { handled.add($0) }.subscribe()
            try await settle()
            work.dispose()
            #expect(handled.all.count == 12)
            #expect(Set(handled.all) == Set(1...10))
        }
    }

    @Test func verdictRefusedWithFullWindowFailsDeliveries() throws {
        try broker.run {
            try await publish(1...4)
            let (base, refusal) = (broker.driver, BrokerError.refused("no verdicts"))
            let driver = OtherDriver(
                base, join: { RefusingMember(try await base.join($0, of: $1), refusal) })
            let ends = Mutex<[String]>([])
            let deliveries = OtherBroker(driver: driver).stream("orders", of: Int.self)
                .deliveries(to: "g", inFlight: 2, deadline: .seconds(600))
                .subscribe(
                    onNext: { $0.extend() }, onError: { error in ends.withLock { $0.append("\(error)") } })
            try await base.sleep(.seconds(30))
            #expect(ends.withLock { $0 } == ["\(refusal)"])
            deliveries.dispose()
        }
    }

    @Test func verdictRefusedAfterDrainFailsWork() throws {
        try broker.run {
            try await publish(1...1)
            let (base, refusal) = (broker.driver, BrokerError.refused("no verdicts"))
            let driver = OtherDriver(
                base, join: { RefusingMember(try await base.join($0, of: $1), refusal) })
            let drain = Drain()
            let ends = Mutex<[String]>([])
            let work = OtherBroker(driver: driver).stream("orders", of: Int.self)
                .work(as: "g", deadline: .seconds(600), until: drain) { _ in try await base.sleep(.seconds(10)) }
                .subscribe(
                    onError: { error in ends.withLock { $0.append("\(error)") } },
                    onCompleted: { ends.withLock { $0.append("completed") } })
            try await base.sleep(.seconds(1))
            drain.stop()
            try await base.sleep(.seconds(30))
            #expect(ends.withLock { $0 } == ["\(refusal)"])
            work.dispose()
        }
    }

    /// The engine gives the lost message's position to the next message.
    @Test func verdictOnLostMessageDoesNotSettleNextOneAtItsPosition() throws {
        try broker.run {
            try await publish(1...1)
            let handled = Seen()
            let work = orders.work(
                as: "g", concurrency: 2, retry: .every(.seconds(1)), deadline: .seconds(100)
            ) { order in
                handled.add(order)
                if order == 1 { return try await broker.driver.sleep(.seconds(5)) }
                try await broker.driver.sleep(.seconds(10))
                if handled.all == [1, 2] { throw BrokerError.refused("not yet") }
            }.subscribe()
            try await broker.driver.sleep(.seconds(1))
            broker.crash(losing: 1, of: "orders")
            try await publish(2...2)
            try await broker.driver.sleep(.seconds(60))
            work.dispose()
            #expect(handled.all == [1, 2, 2])
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    @Test(arguments: [Settlement.done, .again(after: .seconds(0)), .givenUp, .extended])
    func verdictOnLostMessageIsIgnored(settlement: Settlement) throws {
        try broker.run {
            try await publish(1...1)
            let member = try await join()
            let lost = try await member.pull(upTo: 1, within: .seconds(0))
            broker.crash(losing: 1, of: "orders")
            try await publish(2...2)
            #expect(try await member.pull(upTo: 1, within: .seconds(0)).map(\.attempt) == [1])
            try await broker.driver.sleep(.seconds(4))
            try await member.settle(lost.map { Verdict($0.token, settlement) })
            #expect(try await member.pull(upTo: 1, within: .milliseconds(900)).isEmpty)
            #expect(try await member.pull(upTo: 1, within: .milliseconds(200)).map(\.attempt) == [2])
        }
    }

    @Test(arguments: ["", "x", "1", "1.2", "1.2.3.4", "x.1.2"])
    func settlingMalformedTokenIsRefused(_ token: String) throws {
        try broker.run {
            try await publish(1...1)
            let member = try await join()
            await #expect(throws: BrokerError.refused("'\(token)' is not a token")) {
                try await member.settle([Verdict(MessageToken(token), .done)])
            }
            #expect(try await orders.summary(of: "g").lag == 1)
        }
    }

    @Test func lateVerdictDoesNotAffectCurrentHolder() throws {
        try broker.run {
            try await publish(1...1)
            let one = try await join()
            let two = try await join()
            let stale = try await one.pull(upTo: 1, within: .seconds(1))
            try await broker.driver.sleep(.seconds(6))
            #expect(try await two.pull(upTo: 1, within: .seconds(1)).map(\.attempt) == [2])
            try await one.settle(stale.map { Verdict($0.token, .again(after: .seconds(0))) })
            #expect(try await one.pull(upTo: 1, within: .seconds(1)).isEmpty)
        }
    }

    @Test func verdictQueuedBehindAnotherIsSentAfterDisposal() throws {
        try broker.run {
            try await publish(1...2)
            broker.latency = .seconds(1)
            let held = Mutex<[Delivery<Int>]>([])
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(1_000)).subscribe(onNext: { delivery in
                held.withLock { $0.append(delivery) }
            })
            while held.withLock({ $0.count }) < 2 { try await broker.driver.sleep(.milliseconds(100)) }
            held.withLock { $0[0] }.ack()
            try await broker.driver.sleep(.milliseconds(300))
            held.withLock { $0[1] }.ack()
            deliveries.dispose()
            try await broker.driver.sleep(.seconds(10))
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    @Test(arguments: [false, true])
    func rejectedDeliveryDisposedAtOnceIsStoredAsDeadLetter(closes: Bool) throws {
        try broker.run {
            try await publish(1...2)
            let other = broker.another()
            broker.latency = .seconds(1)
            let held = Mutex<Delivery<Int>?>(nil)
            let deliveries = orders.deliveries(to: "g", inFlight: 1, deadline: .seconds(1_000)).subscribe(
                onNext: { delivery in held.withLock { $0 = delivery } })
            while held.withLock({ $0 == nil }) { try await broker.driver.sleep(.milliseconds(100)) }
            held.withLock { $0 }?.reject("no")
            deliveries.dispose()
            if closes { await broker.close() } else { try await broker.driver.sleep(.seconds(10)) }
            let member = try await other.driver.join(GroupSettings("g", deadline: .seconds(1_000)), of: "orders")
            let again = try await member.pull(upTo: 2, within: .seconds(0))
            #expect(again.map(\.stored.position.number) == [2])
            #expect(try await other.driver.summary(of: "orders-dead").count == 1)
        }
    }

    @Test func unsettledDeliveryDisposedWhileDeadLetterIsStoredIsReturnedAtOnce() throws {
        try broker.run {
            try await publish(1...2)
            let held = Mutex<[Delivery<Int>]>([])
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(5)).subscribe(onNext: { delivery in
                held.withLock { $0.append(delivery) }
            })
            try await broker.driver.sleep(.seconds(1))
            broker.latency = .seconds(60)
            held.withLock { $0[0] }.reject("no")
            try await broker.driver.sleep(.milliseconds(1))
            broker.latency = .seconds(0)
            deliveries.dispose()
            let member = try await join()
            let again = try await member.pull(upTo: 2, within: .seconds(1))
            #expect(again.map(\.stored.position.number) == [2])
            try await member.settle(again.map { Verdict($0.token, .done) })
            // The first message is not redelivered while its dead letter is being stored.
            #expect(try await member.pull(upTo: 2, within: .seconds(90)).isEmpty)
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    @Test func disposalKeepsRetryDelay() throws {
        try broker.run {
            try await publish(1...2)
            let other = broker.another()
            broker.latency = .seconds(1)
            let held = Mutex<[Delivery<Int>]>([])
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(1_000)).subscribe(onNext: { delivery in
                held.withLock { $0.append(delivery) }
            })
            while held.withLock({ $0.count }) < 2 { try await broker.driver.sleep(.milliseconds(100)) }
            held.withLock { $0[0] }.ack()
            try await broker.driver.sleep(.milliseconds(300))
            // The second verdict waits for the first, and is sent when the member leaves.
            held.withLock { $0[1] }.retry(after: .seconds(60))
            deliveries.dispose()
            let member = try await other.driver.join(GroupSettings("g", deadline: .seconds(1_000)), of: "orders")
            #expect(try await member.pull(upTo: 1, within: .seconds(30)).isEmpty)
            #expect(try await member.pull(upTo: 1, within: .seconds(60)).map(\.attempt) == [2])
        }
    }
}
