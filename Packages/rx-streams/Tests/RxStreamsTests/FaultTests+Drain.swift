import RxResilience
import RxStreams
import RxSwift
import Synchronization
import Testing

extension FaultTests {
    @Test func drainedDeliveriesCompleteWhenSentElementsAreSettled() throws {
        try broker.run {
            try await publish(1...20)
            let drain = Drain()
            let gate = BehaviorSubject(value: false)
            let (sent, ended) = (Seen(), Seen())
            let deliveries = orders.deliveries(to: "g", inFlight: 10, deadline: .seconds(1_000), until: drain)
                .do(onNext: { sent.add($0.element) })
                .concatMapAsync { delivery -> Int in
                    _ = try await gate.filter { $0 }.take(1).asSingle().value
                    delivery.ack()
                    return delivery.element
                }
                .bounded(2)
                .subscribe(onCompleted: { ended.add(1) })
            try await broker.driver.sleep(.seconds(1))
            drain.stop()
            try await broker.driver.sleep(.seconds(1))
            #expect(ended.all.isEmpty)
            gate.onNext(true)
            try await broker.driver.sleep(.seconds(1))
            #expect(ended.all == [1])
            deliveries.dispose()
            #expect((1...9).contains(sent.all.count))
            let rest = try await broker.driver.join(GroupSettings("g"), of: "orders")
            let pulled = try await rest.pull(upTo: 20, within: .seconds(1))
            #expect(pulled.count == 20 - sent.all.count)
        }
    }

    @Test func drainStoppedDuringDeliverySendsNothingMore() throws {
        try broker.run {
            try await publish(1...10)
            let (drain, sent) = (Drain(), Seen())
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(1_000), until: drain).subscribe(onNext: {
                sent.add($0.element)
                drain.stop()
                $0.ack()
            })
            try await broker.driver.sleep(.seconds(1))
            #expect(sent.all == [1])
            let rest = try await broker.driver.join(GroupSettings("g"), of: "orders")
            #expect(try await rest.pull(upTo: 20, within: .seconds(1)).count == 9)
            deliveries.dispose()
        }
    }

    /// If the broker is unreachable from the start, no group is joined.
    @Test(arguments: [false, true]) func drainWhileDisconnectedWithNothingInFlightCompletes(hasBegun: Bool) throws {
        try broker.run {
            if !hasBegun { broker.disconnect(for: .seconds(1_000)) }
            let (drain, ended) = (Drain(), Seen())
            let work = orders.work(as: "g", until: drain) { _ in }.subscribe(onCompleted: { ended.add(1) })
            let deliveries = orders.deliveries(to: "d", until: drain).subscribe(onCompleted: { ended.add(2) })
            try await broker.driver.sleep(.seconds(1))
            if hasBegun { broker.disconnect(for: .seconds(1_000)) }
            try await broker.driver.sleep(.seconds(10))
            #expect(ended.all.isEmpty)
            drain.stop()
            try await broker.driver.sleep(.milliseconds(1))
            work.dispose()
            deliveries.dispose()
            #expect(ended.all.sorted() == [1, 2])
        }
    }

    @Test func drainWaitsForUnsettledDelivery() throws {
        try broker.run {
            try await publish(1...1)
            let (drain, ended) = (Drain(), Seen())
            let held = Mutex<Delivery<Int>?>(nil)
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(1_000), until: drain).subscribe(
                onNext: { delivery in held.withLock { $0 = delivery } }, onCompleted: { ended.add(1) })
            try await broker.driver.sleep(.seconds(1))
            drain.stop()
            try await broker.driver.sleep(.seconds(10))
            #expect(ended.all.isEmpty)
            held.withLock { $0 }?.ack()
            try await broker.driver.sleep(.seconds(1))
            deliveries.dispose()
            #expect(ended.all == [1])
        }
    }

    @Test func drainedWorkWaitsForRunningHandler() throws {
        try broker.run {
            try await publish(1...1)
            let drain = Drain()
            let (handled, ended) = (Seen(), Seen())
            let work = orders.work(as: "g", deadline: .seconds(60), until: drain) { _ in
                try await broker.driver.sleep(.seconds(10))
            }.subscribe(
                onNext: { if case .handled(let delivery) = $0 { handled.add(delivery.element) } },
                onCompleted: { ended.add(1) })
            try await broker.driver.sleep(.seconds(1))
            drain.stop()
            try await broker.driver.sleep(.seconds(1))
            #expect(ended.all.isEmpty)
            try await broker.driver.sleep(.seconds(20))
            work.dispose()
            #expect(handled.all == [1])
            #expect(ended.all == [1])
        }
    }

    @Test func closeWaitsForReturnedMessages() throws {
        try broker.run {
            try await publish(1...5)
            broker.latency = .milliseconds(50)
            let seen = Seen()
            let deliveries = orders.deliveries(to: "g", inFlight: 5, deadline: .seconds(1_000)).subscribe(onNext: {
                seen.add($0.element)
            })
            while seen.all.count < 5 { try await broker.driver.sleep(.milliseconds(10)) }
            let other = broker.another()
            deliveries.dispose()
            await broker.close()
            let member = try await other.driver.join(GroupSettings("g", deadline: .seconds(1_000)), of: "orders")
            #expect(try await member.pull(upTo: 5, within: .milliseconds(1)).count == 5)
        }
    }

    @Test func closeWaitsForLastLeavingMember() throws {
        try broker.run {
            try await publish(1...2)
            let other = broker.another()
            broker.latency = .seconds(1)
            let seen = Seen()
            let held = Mutex<[Delivery<Int>]>([])
            let first = orders.deliveries(to: "first", deadline: .seconds(1_000)).subscribe(onNext: {
                seen.add($0.element)
            })
            let last = orders.deliveries(to: "last", deadline: .seconds(1_000)).subscribe(onNext: { delivery in
                held.withLock { $0.append(delivery) }
            })
            while seen.all.count < 2 || held.withLock({ $0.count }) < 2 {
                try await broker.driver.sleep(.milliseconds(100))
            }
            held.withLock { $0[0] }.ack()
            try await broker.driver.sleep(.milliseconds(300))
            // The second verdict waits until the first has been sent. So the member of `last` leaves after that of
            // `first`.
            held.withLock { $0[1] }.ack()
            first.dispose()
            last.dispose()
            await broker.close()
            #expect(try await other.driver.summary(of: "last", in: "orders").lag == 0)
        }
    }

    @Test func closeWithEndedPipelinesReturnsAtOnce() throws {
        try broker.run {
            try await publish(1...3)
            #expect(try await replayed() == [1, 2, 3])
            let seen = Seen()
            let deliveries = orders.deliveries(to: "g").subscribe(onNext: { seen.add($0.element) })
            try await broker.driver.sleep(.seconds(1))
            #expect(seen.all == [1, 2, 3])
            deliveries.dispose()
            try await broker.driver.sleep(.seconds(1))
            let begun = broker.driver.scheduler.now
            await broker.close()
            #expect(broker.driver.scheduler.now.timeIntervalSince(begun) < 1)
        }
    }

    @Test func closeWhileDisconnectedReturnsSoon() throws {
        try broker.run {
            try await publish(1...1)
            let held = Mutex<Delivery<Int>?>(nil)
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(1_000)).subscribe(onNext: { delivery in
                held.withLock { $0 = delivery }
            })
            try await broker.driver.sleep(.seconds(1))
            broker.disconnect(for: .seconds(1_000))
            held.withLock { $0 }?.ack()
            try await broker.driver.sleep(.milliseconds(500))
            let begun = broker.driver.scheduler.now
            deliveries.dispose()
            await broker.close()
            #expect(broker.driver.scheduler.now.timeIntervalSince(begun) < 3)
            try await broker.driver.sleep(.seconds(1_000))
        }
    }

    @Test func disposedDeliveriesReleaseCodec() throws {
        final class Held: Sendable {}
        final class Box: @unchecked Sendable {  // used by one thread only
            weak var held: Held?
        }
        try broker.run {
            let box = Box()
            func begin() -> any Disposable {
                let held = Held()
                box.held = held
                let codec = Codec<Int> { _ in
                    withExtendedLifetime(held) { [] }
                } decode: { _ in
                    0
                }
                return broker.stream("orders", of: Int.self, codec: codec).deliveries(to: "g").subscribe()
            }
            let deliveries = begin()
            try await broker.driver.sleep(.seconds(1))
            #expect(box.held != nil)
            deliveries.dispose()
            try await broker.driver.sleep(.seconds(100))
            #expect(box.held == nil)
        }
    }

    @Test(arguments: [(60, 4.9..<6), (3, 1.9..<4)] as [(Int, Range<Double>)])
    func closeWaitsAtMostFiveSecondsForHandler(seconds: Int, expected: Range<Double>) throws {
        try broker.run {
            try await publish(1...1)
            let handled = Seen()
            let work = orders.work(as: "g", deadline: .seconds(1_000)) { order in
                handled.add(order)
                // This task is not cancelled with its parent.
                let rest = Task(executorPreference: broker.driver.executor) {
                    try? await broker.driver.sleep(.seconds(seconds))
                }
                _ = await rest.value
            }.subscribe()
            try await broker.driver.sleep(.seconds(1))
            #expect(handled.all == [1])
            let begun = broker.driver.scheduler.now
            work.dispose()
            await broker.close()
            let span = broker.driver.scheduler.now.timeIntervalSince(begun)
            #expect(expected.contains(span))
            try await broker.driver.sleep(.seconds(100))
        }
    }

    private final class ToldMember: GroupMember {
        let base: any GroupMember
        let told: @Sendable (String) -> Void

        init(_ base: any GroupMember, _ told: @escaping @Sendable (String) -> Void) {
            (self.base, self.told) = (base, told)
        }

        func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
            try await base.pull(upTo: count, within: span)
        }

        func settle(_ verdicts: [Verdict]) async throws {
            for verdict in verdicts { told("\(verdict.settlement)") }
            try await base.settle(verdicts)
        }

        func stopPulling() async { told("no more") }

        func leave() async {
            told("leave")
            await base.leave()
        }
    }

    private func orders(_ told: @escaping @Sendable (String) -> Void) -> DurableStream<Int> {
        let base = broker.driver
        let driver = OtherDriver(
            base, join: { group, stream in ToldMember(try await base.join(group, of: stream), told) })
        return OtherBroker(driver: driver).stream("orders", of: Int.self)
    }

    /// If the messages were returned first, they would go to pending pulls.
    @Test func disposedDeliveriesStopPullingBeforeReturningMessages() throws {
        let base = broker.driver
        let told = Mutex<[String]>([])
        let orders = orders { word in told.withLock { $0.append(word) } }
        try broker.run {
            try await publish(1...1)
            let deliveries = orders.deliveries(to: "g").subscribe()
            try await base.sleep(.seconds(1))
            deliveries.dispose()
            try await base.sleep(.seconds(1))
        }
        let again = "\(Settlement.again(after: .nanoseconds(0)))"
        #expect(told.withLock { $0 } == ["no more", again, "leave"])
    }

    @Test func drainedWorkStopsPullingWhileHandlerRuns() throws {
        let base = broker.driver
        let told = Mutex<[String]>([])
        let orders = orders { word in told.withLock { $0.append(word) } }
        try broker.run {
            try await publish(1...1)
            let drain = Drain()
            let work = orders.work(as: "g", until: drain) { _ in
                try await base.sleep(.seconds(5))
            }.subscribe()
            try await base.sleep(.seconds(1))
            drain.stop()
            try await base.sleep(.seconds(1))
            #expect(told.withLock { $0 } == ["no more"])
            try await base.sleep(.seconds(10))
            work.dispose()
        }
        #expect(told.withLock { $0.prefix(2) } == ["no more", "\(Settlement.done)"])
    }

    @Test(arguments: [false, true]) func deliveriesDisposedWhileJoiningLeave(hasDrain: Bool) throws {
        let (base, left) = (broker.driver, Seen())
        let driver = OtherDriver(
            base,
            join: { group, stream in
                // This task is not cancelled with its parent.
                let joining = Task(executorPreference: base.executor) { () async throws -> any GroupMember in
                    try await base.sleep(.seconds(1))
                    return LeavingMember(try await base.join(group, of: stream)) { left.add(1) }
                }
                return try await joining.value
            })
        try broker.run {
            let drain = hasDrain ? Drain() : nil
            let deliveries = OtherBroker(driver: driver).stream("orders", of: Int.self)
                .deliveries(to: "g", until: drain).subscribe()
            try await base.sleep(.milliseconds(500))
            deliveries.dispose()
            try await base.sleep(.seconds(10))
            #expect(left.all == [1])
        }
    }
}
