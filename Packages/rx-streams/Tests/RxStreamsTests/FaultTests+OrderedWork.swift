import RxResilience
import RxStreams
import Synchronization
import Testing

extension FaultTests {
    @Test func orderedWorkWithRedeliveriesKeepsOrder() throws {
        try broker.run {
            try await publish(1...6)
            let begun = Seen()
            let orders = neverExtending().stream("orders", of: Int.self)
            let work = orders.work(as: "g", concurrency: 3, inOrderBy: { _ in 0 }, deadline: .seconds(2)) { order in
                begun.add(order)
                try await broker.driver.sleep(.seconds(3))
            }.subscribe()
            try await settle()
            work.dispose()
            #expect(begun.all == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test func orderedWorkRetriesAfterDelay() throws {
        try broker.run {
            try await publish(1...1)
            let times = Seen()
            let begun = broker.driver.scheduler.now
            let work = orders.work(
                as: "g", inOrderBy: { _ in 0 }, retry: .every(.seconds(20)), attempts: 3, deadline: .seconds(100)
            ) { _ in
                times.add(Int(broker.driver.scheduler.now.timeIntervalSince(begun)))
                throw BrokerError.refused("no")
            }.subscribe()
            try await broker.driver.sleep(.seconds(100))
            work.dispose()
            #expect(times.all == [0, 20, 40])
        }
    }

    @Test func orderedWorkStopsAfterAttempts() throws {
        try broker.run {
            try await publish(1...2)
            let (tries, dead) = (Seen(), Seen())
            let work = orders.work(
                as: "g", inOrderBy: { _ in 0 }, retry: .every(.seconds(1)), attempts: 3, deadline: .seconds(100)
            ) { order in
                tries.add(order)
                if order == 1 { throw BrokerError.refused("no") }
            }.subscribe(onNext: { if case .dead(let delivery, _) = $0 { dead.add(delivery.element) } })
            try await broker.driver.sleep(.seconds(60))
            work.dispose()
            #expect(tries.all == [1, 1, 1, 2])
            #expect(dead.all == [1])
        }
    }

    @Test func orderedWorkHandlesOtherKeysDuringRetryDelay() throws {
        try broker.run {
            try await publish(1...2)
            let begun = broker.driver.scheduler.now
            let times = Mutex<[Int: [Int]]>([:])
            let work = orders.work(
                as: "g", inOrderBy: { $0 }, retry: .every(.seconds(20)), attempts: 3, deadline: .seconds(100)
            ) { order in
                let time = Int(broker.driver.scheduler.now.timeIntervalSince(begun))
                times.withLock { $0[order, default: []].append(time) }
                if order == 1 { throw BrokerError.refused("no") }
            }.subscribe()
            try await broker.driver.sleep(.seconds(100))
            work.dispose()
            #expect(times.withLock { $0 } == [1: [0, 20, 40], 2: [0]])
        }
    }

    @Test func orderedWorkDrainWaitsForRetryDelay() throws {
        try broker.run {
            try await publish(1...1)
            let (drain, tries, ended) = (Drain(), Seen(), Seen())
            let work = orders.work(
                as: "g", inOrderBy: { _ in 0 }, retry: .every(.seconds(20)), deadline: .seconds(100), until: drain
            ) { order in
                tries.add(order)
                if tries.all.count == 1 { throw BrokerError.refused("no") }
            }.subscribe(onCompleted: { ended.add(tries.all.count) })
            try await broker.driver.sleep(.seconds(1))
            drain.stop()
            try await broker.driver.sleep(.seconds(30))
            work.dispose()
            #expect(ended.all == [2])
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    @Test func orderedWorkDisposedDuringRetryDelayReturnsMessageAtOnce() throws {
        try broker.run {
            try await publish(1...1)
            let tries = Seen()
            let work = orders.work(
                as: "g", inOrderBy: { _ in 0 }, retry: .every(.seconds(20)), deadline: .seconds(1_000)
            ) { order in
                tries.add(order)
                throw BrokerError.refused("no")
            }.subscribe()
            try await broker.driver.sleep(.seconds(1))
            work.dispose()
            try await broker.driver.sleep(.milliseconds(1))
            let member = try await join()
            #expect(try await member.pull(upTo: 1, within: .milliseconds(1)).map(\.attempt) == [2])
            try await broker.driver.sleep(.seconds(60))
            #expect(tries.all == [1])
        }
    }

    @Test func orderedWorkDisposedDuringRetryDelayReleasesElement() throws {
        final class Held: Sendable {}
        final class Box: @unchecked Sendable {  // used by one thread only
            weak var held: Held?
        }
        try broker.run {
            try await publish(1...1)
            let box = Box()
            let codec = Codec<Held> { _ in
                []
            } decode: { _ in
                let held = Held()
                box.held = held
                return held
            }
            let work = broker.stream("orders", of: Held.self, codec: codec).work(
                as: "g", inOrderBy: { _ in 0 }, retry: .every(.seconds(1_000)), deadline: .seconds(4)
            ) { _ in
                throw BrokerError.refused("no")
            }.subscribe()
            try await broker.driver.sleep(.seconds(1))
            #expect(box.held != nil)
            work.dispose()
            try await broker.driver.sleep(.seconds(100))
            #expect(box.held == nil)
        }
    }

    /// Either the dead letter cannot be sent, or its receipt is lost.
    @Test(arguments: [false, true])
    func orderedWorkDeadLetterNotStoredBlocksItsKey(isKept: Bool) throws {
        try broker.run {
            try await publish(1...2)
            let (tries, dead, untold) = (Seen(), Seen(), Seen())
            let work = orders.work(
                as: "g", inOrderBy: { _ in 0 }, retry: .every(.seconds(1)), attempts: 3, deadline: .seconds(100)
            ) { order in
                tries.add(order)
                if order == 2 { return }
                if tries.all.count == 3 {
                    if isKept { broker.loseReceipts(1) } else { broker.disconnect(for: .seconds(3)) }
                }
                throw BrokerError.refused("no")
            }.subscribe(onNext: { outcome in
                if case .dead(let delivery, _) = outcome { dead.add(delivery.element) }
                if case .untold(let delivery) = outcome { untold.add(delivery.element) }
            })
            try await broker.driver.sleep(.seconds(60))
            work.dispose()
            #expect(tries.all == [1, 1, 1, 2])
            #expect(dead.all == [1] && untold.all.isEmpty)
            #expect(try await broker.driver.summary(of: "orders-dead").count == 1)
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    /// Two deliveries of message 1 got no verdict. Its dead letter cannot be stored for a while.
    @Test func orderedWorkMessageDeliveredTooOftenBlocksItsKey() throws {
        let base = broker.driver
        let refusals = Mutex(3)
        let driver = OtherDriver(
            base,
            append: { messages, stream in
                let isRefused = refusals.withLock { count in
                    count -= stream == "orders-dead" ? 1 : 0
                    return stream == "orders-dead" && count >= 0
                }
                if isRefused { throw BrokerError.unavailable("no") }
                return try await base.append(messages, to: stream)
            })
        try broker.run {
            try await publish(1...1)
            let member = try await join()
            for _ in 1...2 { #expect(try await member.pull(upTo: 1, within: .seconds(60)).count == 1) }
            try await base.sleep(.seconds(10))
            try await publish(2...2)
            let events = Mutex<[String]>([])
            let orders = OtherBroker(driver: driver).stream("orders", of: Int.self)
            let work = orders.work(as: "g", inOrderBy: { _ in 0 }, attempts: 2, deadline: .seconds(5)) { order in
                events.withLock { $0.append("handler \(order)") }
            }.subscribe(onNext: { outcome in
                if case .dead(let delivery, let why) = outcome {
                    events.withLock { $0.append("dead \(delivery.element), \(why)") }
                }
            })
            try await base.sleep(.seconds(60))
            work.dispose()
            #expect(events.withLock { $0 } == ["dead 1, delivered 2 times and never settled", "handler 2"])
            #expect(try await base.summary(of: "orders-dead").count == 1)
        }
    }

    @Test func orderedWorkDrainingWithUnstoredDeadLetterEndsWhenBrokerIsClosed() throws {
        try broker.run {
            try await publish(1...1)
            let (drain, ended) = (Drain(), Seen())
            let work = orders.work(
                as: "g", inOrderBy: { _ in 0 }, attempts: 1, deadline: .seconds(100), until: drain
            ) { _ in
                broker.disconnect(for: .seconds(1_000))
                throw BrokerError.refused("no")
            }.subscribe(onError: { if $0 as? BrokerError == .closed { ended.add(1) } })
            try await broker.driver.sleep(.seconds(1))
            drain.stop()
            try await broker.driver.sleep(.seconds(10))
            #expect(ended.all.isEmpty)
            await broker.close()
            try await broker.driver.sleep(.seconds(1))
            #expect(ended.all == [1])
            work.dispose()
        }
    }

    @Test func orderedWorkWithManyKeysKeepsOrderOfEach() throws {
        try broker.run {
            try await publish(1...900)
            let handled = Seen()
            let work = orders.work(as: "g", concurrency: 7, inOrderBy: { $0 % 150 }, deadline: .seconds(60)) { order in
                try await broker.driver.sleep(.milliseconds(order % 13))
                handled.add(order)
            }.subscribe()
            try await settle()
            work.dispose()
            #expect(handled.all.count == 900)
            for key in 0..<150 {
                let order = handled.all.filter { $0 % 150 == key }
                #expect(order == order.sorted())
            }
        }
    }

    @Test func orderedWorkSweepKeepsKeyInProgress() throws {
        try broker.run {
            try await publish(1...100)
            let handled = Seen()
            let work = orders.work(
                as: "g", concurrency: 2, inOrderBy: { $0 == 90 ? 1 : $0 }, deadline: .seconds(60)
            ) { order in
                if order == 1 { try await broker.driver.sleep(.seconds(10)) }
                handled.add(order)
            }.subscribe()
            try await settle()
            work.dispose()
            #expect(handled.all.count == 100)
            #expect(handled.all.filter { $0 == 1 || $0 == 90 } == [1, 90])
        }
    }
}
