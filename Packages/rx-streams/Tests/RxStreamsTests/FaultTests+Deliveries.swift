import RxStreams
import RxSwift
import Synchronization
import Testing

extension FaultTests {
    @Test func deliveriesWhileDownstreamIsPausedPullNothing() throws {
        try broker.run {
            try await publish(1...1)
            let sent = Seen()
            let deliveries = orders.deliveries(to: "g", inFlight: 10, deadline: .seconds(1_000))
                .do(onNext: { sent.add($0.element) })
            var elements = deliveries.values(buffering: .pausing(2)).makeAsyncIterator()
            _ = try await elements.next()
            for order in 2...6 {
                try await publish(order...order)
                try await broker.driver.sleep(.seconds(1))
            }
            let (count, summary) = (sent.all.count, try await orders.summary(of: "g"))
            #expect(count < 6)
            #expect(summary == GroupSummary(waiting: 6 - count, unsettled: count))
            withExtendedLifetime(elements) {}
        }
    }

    @Test func duplicateDeliveryToDeliveriesIsSentTwice() throws {
        try broker.run {
            try await publish(1...3)
            broker.duplicate(2)
            let seen = Seen()
            let subscription = orders.deliveries(to: "g", deadline: .seconds(5)).subscribe(onNext: {
                seen.add($0.element)
            })
            try await broker.driver.sleep(.seconds(1))
            subscription.dispose()
            #expect(seen.all.sorted() == [1, 1, 2, 2, 3])
        }
    }

    /// The group's deadline is longer, because another member has requested a longer one.
    @Test func deliveryAcknowledgedAfterRequestedButBeforeLongerDeadlineInForceIsSettled() throws {
        try broker.run {
            try await publish(1...2)
            let base = broker.driver
            let driver = OtherDriver(
                base,
                join: { group, stream in
                    var inForce = group
                    inForce.deadline = .seconds(30)
                    return LongMember(try await base.join(inForce, of: stream), inForce.deadline)
                })
            let sent = Seen()
            let held = Mutex<Delivery<Int>?>(nil)
            let deliveries = OtherBroker(driver: driver).stream("orders", of: Int.self)
                .deliveries(to: "g", inFlight: 1, deadline: .seconds(1)).subscribe(onNext: { delivery in
                    sent.add(delivery.element)
                    held.withLock { $0 = $0 ?? delivery }
                })
            try await base.sleep(.seconds(3))
            #expect(sent.all == [1])
            held.withLock { $0 }?.ack()
            try await base.sleep(.seconds(1))
            #expect(sent.all == [1, 2])
            #expect(try await orders.summary(of: "g").lag == 1)
            deliveries.dispose()
        }
    }

    @Test func deliverySettledTwiceIgnoresSecondVerdict() throws {
        try broker.run {
            try await publish(1...2)
            let seen = Seen()
            let dead = Seen()
            let letters = orders.deadLetters().subscribe(onNext: { dead.add(Int($0.position.number)) })
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(100)).subscribe(onNext: { delivery in
                seen.add(delivery.element)
                if delivery.element == 1 { delivery.ack() }
                delivery.reject("no")
                delivery.reject("no again")
                delivery.retry(after: .seconds(0))
                delivery.ack()
            })
            try await broker.driver.sleep(.seconds(300))
            deliveries.dispose()
            letters.dispose()
            #expect(seen.all == [1, 2])
            #expect(dead.all == [2])
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    @Test func deliveryRetriedIsRedeliveredAfterDelay() throws {
        try broker.run {
            try await publish(1...1)
            let times = Seen()
            let begun = broker.driver.scheduler.now
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(100)).subscribe(onNext: { delivery in
                times.add(Int(broker.driver.scheduler.now.timeIntervalSince(begun)))
                if delivery.attempt == 1 { delivery.retry(after: .seconds(20)) } else { delivery.ack() }
            })
            try await broker.driver.sleep(.seconds(60))
            deliveries.dispose()
            #expect(times.all == [0, 20])
        }
    }

    @Test func deliveryRetriedIgnoresLaterAcknowledgement() throws {
        try broker.run {
            try await publish(1...1)
            let seen = Seen()
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(100)).subscribe(onNext: { delivery in
                seen.add(delivery.attempt)
                if delivery.attempt == 1 { delivery.retry(after: .seconds(20)) }
                delivery.ack()
            })
            try await broker.driver.sleep(.seconds(60))
            deliveries.dispose()
            #expect(seen.all == [1, 2])
        }
    }

    @Test func deliveryOverAttemptsGoesToNamedDeadLetterStream() throws {
        try broker.run {
            try await publish(1...1)
            let (seen, dead) = (Seen(), Seen())
            let letters = orders.deadLetters(in: "lost").subscribe(onNext: { dead.add($0.attempts) })
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(5), attempts: 2, dead: "lost")
                .subscribe(onNext: { seen.add($0.attempt) })
            try await broker.driver.sleep(.seconds(60))
            deliveries.dispose()
            letters.dispose()
            #expect(seen.all == [1, 2])
            #expect(dead.all == [3])
        }
    }

    @Test func deliveriesWithZeroAttemptsDeliverOnce() throws {
        try broker.run {
            try await publish(1...3)
            let seen = Seen()
            let deliveries = orders.deliveries(to: "g", attempts: 0).subscribe(onNext: { delivery in
                seen.add(delivery.element)
                delivery.ack()
            })
            try await broker.driver.sleep(.seconds(1))
            deliveries.dispose()
            #expect(seen.all == [1, 2, 3])
        }
    }

    @Test func deliveriesWithStartAndSubjectDeliverMatchingElements() throws {
        try broker.run {
            let orders = broker.stream("orders", of: Int.self, subjects: ["orders.*"])
            let source = Observable.of(1, 2, 3, 4)
            for try await _ in source.publish(to: orders, subject: { "orders.\($0 % 2)" })
                .values(buffering: .pausing(1))
            {}
            let seen = Seen()
            let deliveries = orders.deliveries(to: "g", from: .position(Position(2)), subject: "orders.1")
                .subscribe(onNext: { seen.add($0.element) })
            try await broker.driver.sleep(.seconds(1))
            deliveries.dispose()
            #expect(seen.all == [3])
        }
    }

    @Test func deliveryRetriedIgnoresLaterExtension() throws {
        try broker.run {
            try await publish(1...1)
            let times = Seen()
            let begun = broker.driver.scheduler.now
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(100)).subscribe(onNext: { delivery in
                times.add(Int(broker.driver.scheduler.now.timeIntervalSince(begun)))
                if delivery.attempt > 1 { return delivery.ack() }
                delivery.retry(after: .seconds(20))
                delivery.extend()
            })
            try await broker.driver.sleep(.seconds(300))
            deliveries.dispose()
            #expect(times.all == [0, 20])
        }
    }

    @Test func deliveryHasMetadataOfItsMessage() throws {
        try broker.run {
            try await publish(7...7)
            let seen = Mutex<Delivery<Int>?>(nil)
            let deliveries = orders.deliveries(to: "g").subscribe(onNext: { delivery in seen.withLock { $0 = delivery }
            })
            try await broker.driver.sleep(.seconds(1))
            deliveries.dispose()
            let delivery = try #require(seen.withLock { $0 })
            let stored = try await broker.driver.read("orders", from: Position(1), limit: 1, within: .seconds(0))[0]
            #expect(delivery.element == 7 && delivery.attempt == 1)
            #expect(delivery.position == stored.position && delivery.time == stored.time)
            #expect(delivery.id == "7" && delivery.subject == "orders")
        }
    }

    @Test func pullRequestsNoMoreThanFreeWindow() throws {
        try broker.run {
            try await publish(1...10)
            let seen = Seen()
            let deliveries = orders.deliveries(to: "g", inFlight: 3, deadline: .seconds(1_000)).subscribe(onNext: {
                seen.add($0.element)
                if $0.element == 1 { $0.ack() }
            })
            try await broker.driver.sleep(.seconds(10))
            deliveries.dispose()
            #expect(seen.all == [1, 2, 3, 4])
        }
    }

    @Test func unsettledDeliveriesPastDeadlineFreeTheWindow() throws {
        try broker.run {
            try await publish(1...3)
            let seen = Seen()
            let deliveries = orders.deliveries(to: "g", inFlight: 1, deadline: .seconds(10)).subscribe(onNext: {
                delivery in
                seen.add(delivery.element)
                if delivery.attempt == 2 { delivery.ack() }
            })
            try await broker.driver.sleep(.seconds(300))
            deliveries.dispose()
            #expect(Set(seen.all) == [1, 2, 3])
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    @Test func unsettledDeliveryFreesTheWindowSoonAfterDeadline() throws {
        try broker.run {
            try await publish(1...2)
            let seen = Seen()
            let deliveries = orders.deliveries(to: "g", inFlight: 1, deadline: .seconds(10)).subscribe(onNext: {
                seen.add($0.element)
            })
            // Deadlines are checked every 2.5 s. The disposal follows the fifth check.
            try await broker.driver.sleep(.seconds(14))
            deliveries.dispose()
            #expect(seen.all.count == 2)
        }
    }

    @Test func extensionIsSentAtOnce() throws {
        try broker.run {
            let seen = Seen()
            let held = Mutex<Delivery<Int>?>(nil)
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(10)).subscribe(onNext: { delivery in
                seen.add(delivery.attempt)
                held.withLock { $0 = delivery }
            })
            try await broker.driver.sleep(.milliseconds(500))
            try await publish(1...1)
            // The extension comes just before the deadline, and must not wait for the next check.
            try await broker.driver.sleep(.milliseconds(9_700))
            held.withLock { $0 }?.extend()
            try await broker.driver.sleep(.seconds(5))
            deliveries.dispose()
            #expect(seen.all == [1])
        }
    }

    @Test func deliveryJustBeforeTickKeepsItsWholeDeadline() throws {
        try broker.run {
            let seen = Seen()
            let held = Mutex<Delivery<Int>?>(nil)
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(10)).subscribe(onNext: { delivery in
                seen.add(delivery.attempt)
                held.withLock { $0 = delivery }
            })
            // Publishes just before the first check, at 2.5 s. The fourth check, at 10 s, comes before the deadline, at
            // 12.4 s.
            try await broker.driver.sleep(.milliseconds(2_400))
            try await publish(1...1)
            try await broker.driver.sleep(.milliseconds(8_600))
            held.withLock { $0 }?.ack()
            try await broker.driver.sleep(.seconds(20))
            deliveries.dispose()
            #expect(seen.all == [1])
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    @Test func extendedDeliveryIsNotRedelivered() throws {
        try broker.run {
            try await publish(1...1)
            let seen = Seen()
            let held = Mutex<Delivery<Int>?>(nil)
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(10)).subscribe(onNext: { delivery in
                seen.add(delivery.attempt)
                held.withLock { $0 = delivery }
            })
            for _ in 1...10 {
                try await broker.driver.sleep(.seconds(6))
                held.withLock { $0 }?.extend()
            }
            #expect(seen.all == [1])
            held.withLock { $0 }?.ack()
            try await settle()
            deliveries.dispose()
        }
    }
}
