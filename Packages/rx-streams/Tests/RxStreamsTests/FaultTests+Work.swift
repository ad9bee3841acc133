import RxResilience
import RxStreams
import RxSwift
import Synchronization
import Testing

extension FaultTests {
    @Test func workAfterDisconnectionContinues() throws {
        try broker.run {
            try await publish(1...20)
            let handled = Seen()
            let work = orders.work(as: "g", concurrency: 2, deadline: .seconds(10)) { order in
                if order == 5 { broker.disconnect(for: .seconds(3)) }
                try await broker.driver.sleep(.milliseconds(500))
                handled.add(order)
            }.subscribe()
            try await settle()
            work.dispose()
            #expect(handled.all.sorted() == Array(1...20))
        }
    }

    @Test(arguments: 0...4) func workConnectionLostAtStartHandlesAll(calls: Int) throws {
        try broker.run {
            try await publish(1...3)
            broker.latency = .seconds(1)
            let (handled, failed) = (Seen(), Seen())
            let work = orders.work(as: "g", deadline: .seconds(100)) { handled.add($0) }
                .subscribe(onError: { _ in failed.add(1) })
            try await broker.driver.sleep(.milliseconds(1_000 * calls + 500))
            broker.disconnect(for: .seconds(3))
            try await broker.driver.sleep(.seconds(60))
            work.dispose()
            #expect(handled.all == [1, 2, 3])
            #expect(failed.all.isEmpty)
            try await broker.driver.sleep(.seconds(60))
        }
    }

    @Test func workPullsTwiceItsConcurrency() throws {
        try broker.run {
            try await publish(1...20)
            let handled = Seen()
            let work = orders.work(as: "g", concurrency: 3, deadline: .seconds(1_000)) { order in
                handled.add(order)
                try await broker.driver.sleep(.seconds(100))
            }.subscribe()
            try await broker.driver.sleep(.seconds(10))
            #expect(try await orders.summary(of: "g") == GroupSummary(waiting: 14, unsettled: 6))
            work.dispose()
            #expect(handled.all == [1, 2, 3])
        }
    }

    @Test func workWithMaximalConcurrencyHandlesAll() throws {
        try broker.run {
            try await publish(1...3)
            let handled = Seen()
            let work = orders.work(as: "g", concurrency: .max, deadline: .seconds(1_000)) { handled.add($0) }
                .subscribe()
            try await settle()
            work.dispose()
            #expect(handled.all.sorted() == [1, 2, 3])
        }
    }

    @Test func workByDefaultRunsOneHandlerAtATime() throws {
        try broker.run {
            try await publish(1...3)
            let handled = Seen()
            let work = orders.work(as: "g", deadline: .seconds(1_000)) { order in
                handled.add(order)
                try await broker.driver.sleep(.seconds(10))
            }.subscribe()
            try await broker.driver.sleep(.seconds(5))
            work.dispose()
            #expect(handled.all == [1])
        }
    }

    @Test func workWhileOutcomesAreNotConsumedPullsNothing() throws {
        try broker.run {
            try await publish(1...1)
            let work = orders.work(as: "g", deadline: .seconds(1_000)) { _ in }
            var outcomes = work.values(buffering: .pausing(2)).makeAsyncIterator()
            _ = try await outcomes.next()
            for order in 2...8 {
                try await publish(order...order)
                try await broker.driver.sleep(.seconds(1))
            }
            #expect(try await orders.summary(of: "g").waiting > 2)
            withExtendedLifetime(outcomes) {}
        }
    }

    @Test func workWithSlowObserverDelaysHandlers() throws {
        try broker.run {
            try await publish(1...100)
            let (gate, handled) = (BehaviorSubject(value: false), Seen())
            let work = orders.work(as: "g", concurrency: 2, deadline: .seconds(1_000)) { handled.add($0) }
                .concatMapAsync { _ in try await gate.filter { $0 }.take(1).asSingle().value }
                .bounded(2)
                .subscribe()
            try await broker.driver.sleep(.seconds(10))
            // Two outcomes wait at the bound, one is being consumed, and two handlers wait to send theirs.
            #expect(handled.all.count <= 5)
            gate.onNext(true)
            try await settle()
            work.dispose()
            #expect(handled.all.count == 100)
        }
    }

    @Test func workWithZeroAttemptsMakesOne() throws {
        try broker.run {
            try await publish(1...1)
            let (handled, dead) = (Seen(), Seen())
            let work = orders.work(as: "g", attempts: 0, deadline: .seconds(60)) { order in
                handled.add(order)
                throw BrokerError.refused("no")
            }.subscribe(onNext: { if case .dead(let delivery, _) = $0 { dead.add(delivery.element) } })
            try await broker.driver.sleep(.seconds(30))
            work.dispose()
            #expect(handled.all == [1])
            #expect(dead.all == [1])
        }
    }

    @Test func duplicateDeliveryWhileHandlingIsHandledOnce() throws {
        try broker.run {
            try await publish(1...4)
            broker.duplicate(3)
            let handled = Seen()
            let work = orders.work(as: "g", concurrency: 4, deadline: .seconds(5)) { order in
                handled.add(order)
                try await broker.driver.sleep(.seconds(1))
            }.subscribe()
            try await settle()
            work.dispose()
            #expect(handled.all.sorted() == [1, 2, 3, 4])
        }
    }

    @Test func redeliveryWhileHandlingIsHandledOnce() throws {
        try broker.run {
            try await publish(1...3)
            let (handled, running, outcomes) = (Seen(), Seen(), Seen())
            let orders = neverExtending().stream("orders", of: Int.self)
            let work = orders.work(as: "g", concurrency: 2, attempts: 2, deadline: .seconds(2)) { order in
                running.add(order)
                try await broker.driver.sleep(.seconds(7))
                handled.add(order)
            }.subscribe(onNext: { if case .handled(let delivery) = $0 { outcomes.add(delivery.element) } })
            try await settle()
            work.dispose()
            #expect(running.all == [1, 2, 3])
            #expect(handled.all == [1, 2, 3])
            #expect(outcomes.all.sorted() == [1, 2, 3])
            #expect(try await broker.driver.summary(of: "orders-dead").count == 0)
        }
    }

    /// During a deployment, the members' deadlines may differ.
    @Test func secondMemberWithShorterDeadlineTakesNoHeldMessages() throws {
        try broker.run {
            try await publish(1...1)
            let (mine, theirs) = (Seen(), Seen())
            let work = orders.work(as: "g", concurrency: 2, attempts: 3, deadline: .seconds(30)) { order in
                mine.add(order)
                try await broker.driver.sleep(.seconds(60))
            }.subscribe()
            try await broker.driver.sleep(.seconds(1))
            let other = broker.another().stream("orders", of: Int.self)
            let second = other.work(as: "g", deadline: .seconds(1)) { theirs.add($0) }.subscribe()
            try await broker.driver.sleep(.seconds(40))
            second.dispose()
            try await settle()
            work.dispose()
            #expect(mine.all == [1])
            #expect(theirs.all == [])
        }
    }

    @Test func workWithOtherSubjectsThanItsGroupIsRefused() throws {
        try broker.run {
            let orders = broker.stream("orders", of: Int.self, subjects: ["orders.*"])
            let first = orders.work(as: "g", subject: "orders.a") { _ in }.subscribe()
            try await broker.driver.sleep(.seconds(1))
            let refusal = BrokerError.refused(
                "group g of stream orders receives 'orders.a', but is described with all subjects: "
                    + "use another group, or remove this one first")
            await #expect(throws: refusal) {
                for try await _ in orders.work(as: "g", handler: { _ in }).values(buffering: .pausing(1)) {}
            }
            first.dispose()
        }
    }

    @Test func removedGroupFailsDeliveriesAndWork() throws {
        try broker.run {
            let errors = Mutex<[BrokerError?]>([])
            @Sendable func failed(_ error: any Error) { errors.withLock { $0.append(error as? BrokerError) } }
            let deliveries = orders.deliveries(to: "g").subscribe(onError: failed)
            let work = orders.work(as: "g") { _ in }.subscribe(onError: failed)
            try await broker.driver.sleep(.seconds(1))
            try await orders.remove(group: "g")
            try await broker.driver.sleep(.seconds(1))
            deliveries.dispose()
            work.dispose()
            let missing = BrokerError.missing("group g of stream orders")
            #expect(errors.withLock { $0 } == [missing, missing])
        }
    }

    @Test func invalidGroupWhileDisconnectedIsRefused() throws {
        try broker.run {
            broker.disconnect(for: .seconds(1_000))
            let refused = Seen()
            @Sendable func failed(_ error: any Error) { if case BrokerError.refused = error { refused.add(1) } }
            let work = orders.work(as: "a b") { _ in }.subscribe(onError: failed)
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(0)).subscribe(onError: failed)
            try await broker.driver.sleep(.seconds(1))
            work.dispose()
            deliveries.dispose()
            #expect(refused.all == [1, 1])
        }
    }

    @Test func retryAfterErrorSetsDelayOrStopsRetrying() throws {
        struct Busy: RetryAfter {
            let retryAfter: RxTimeInterval?
        }
        try broker.run {
            try await publish(1...2)
            let times = Seen()
            let dead = Seen()
            let begun = broker.driver.scheduler.now
            let work = orders.work(as: "g", retry: .every(.seconds(1)), deadline: .seconds(100)) { order in
                if order == 1 { throw Busy(retryAfter: .never) }
                times.add(Int(broker.driver.scheduler.now.timeIntervalSince(begun)))
                if times.all.count == 1 { throw Busy(retryAfter: .seconds(20)) }
            }.subscribe(onNext: { if case .dead(let delivery, _) = $0 { dead.add(delivery.element) } })
            try await settle()
            work.dispose()
            #expect(times.all == [0, 20])
            #expect(dead.all == [1])
        }
    }

    /// Ordered work makes all attempts within one delivery.
    @Test(arguments: [false, true]) func retryDelaysGrowExponentially(inOrder: Bool) throws {
        try broker.run {
            try await publish(1...1)
            let pauses = Seen()
            let retry = RetryPolicy.exponential(from: .seconds(1), limit: .seconds(300), jitter: .none)
            let fail: @Sendable (Int) async throws -> Void = { _ in throw BrokerError.refused("no") }
            let reports =
                inOrder
                ? orders.work(
                    as: "g", inOrderBy: { $0 }, retry: retry, attempts: 4, deadline: .seconds(100), handler: fail)
                : orders.work(as: "g", retry: retry, attempts: 4, deadline: .seconds(100), handler: fail)
            let work = reports.subscribe(onNext: {
                if case .retrying(_, let pause, _) = $0 { pauses.add(Int(pause.inSeconds)) }
            })
            try await broker.driver.sleep(.seconds(60))
            work.dispose()
            #expect(pauses.all == [1, 2, 4])
        }
    }

    @Test func cancelledHandlerReturnsMessageAtOnce() throws {
        try broker.run {
            try await publish(1...1)
            let work = orders.work(as: "g", retry: .every(.seconds(100)), deadline: .seconds(1_000)) { _ in
                try await broker.driver.sleep(.seconds(500))
            }.subscribe()
            try await broker.driver.sleep(.seconds(1))
            work.dispose()
            try await broker.driver.sleep(.seconds(1))
            let member = try await join()
            #expect(try await member.pull(upTo: 1, within: .seconds(10)).map(\.attempt) == [2])
        }
    }
}
