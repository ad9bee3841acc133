import RxStreams
import RxSwift
import Testing

extension FaultTests {
    @Test func publishingWithLostReceiptsStoresEachElementOnce() throws {
        try broker.run {
            broker.loseReceipts(3)
            try await publish(1...30)
            #expect(try await orders.summary().count == 30)
            #expect(try await replayed() == Array(1...30))
        }
    }

    @Test func appendWithLostReceiptThrowsThoughMessageIsStored() throws {
        try broker.run {
            try await orders.ensure()
            broker.loseReceipts(1)
            await #expect(throws: BrokerError.unavailable("the receipt was lost by the test")) {
                try await broker.driver.append([NewMessage("orders", [1])], to: "orders")
            }
            #expect(try await orders.summary().count == 1)
            _ = try await broker.driver.append([NewMessage("orders", [2])], to: "orders")
            #expect(try await orders.summary().count == 2)
        }
    }

    @Test func publishingWithoutIDsAfterLostReceiptsStoresEachElementOnce() throws {
        try broker.run {
            broker.loseReceipts(2)
            let source = Observable.from([1, 2, 3])
            for try await _ in source.publish(to: orders).values(buffering: .pausing(8)) {}
            #expect(try await replayed() == [1, 2, 3])
        }
    }

    @Test func publishingTwiceWithoutIDsStoresBothRuns() throws {
        try broker.run {
            for _ in 1...2 {
                for try await _ in Observable.from([1, 2]).publish(to: orders).values(buffering: .pausing(8)) {}
            }
            #expect(try await replayed() == [1, 2, 1, 2])
        }
    }

    @Test func publishingWhileDisconnectedWaitsForConnection() throws {
        try broker.run {
            broker.disconnect(for: .seconds(60))
            let begun = broker.driver.scheduler.now
            try await publish(1...10)
            #expect(broker.driver.scheduler.now.timeIntervalSince(begun) >= 60)
            #expect(try await orders.summary().count == 10)
        }
    }

    @Test func publishingAfterLongOutageResumesWithinTwoSeconds() throws {
        try broker.run {
            broker.disconnect(for: .seconds(3_000))
            let begun = broker.driver.scheduler.now
            try await publish(1...1)
            #expect(broker.driver.scheduler.now.timeIntervalSince(begun) <= 3_002)
        }
    }

    @Test(arguments: 0...1) func publishingConnectionLostAtStartStoresElement(calls: Int) throws {
        try broker.run {
            broker.latency = .seconds(1)
            let (kept, failed) = (Seen(), Seen())
            let publishing = Observable.just(7).publish(to: orders)
                .subscribe(onNext: { kept.add(Int($0.number)) }, onError: { _ in failed.add(1) })
            try await broker.driver.sleep(.milliseconds(1_000 * calls + 500))
            broker.disconnect(for: .seconds(3))
            try await broker.driver.sleep(.seconds(60))
            publishing.dispose()
            #expect(kept.all == [1])
            #expect(failed.all.isEmpty)
        }
    }

    @Test(arguments: [0, 60]) func elementsSentRightAfterSubscriptionArePublished(secondsAway: Int) throws {
        try broker.run {
            if secondsAway > 0 { broker.disconnect(for: .seconds(secondsAway)) }
            let source = PublishSubject<Int>()
            let publishing = source.publish(to: orders).subscribe()
            for order in 1...5 { source.onNext(order) }
            try await broker.driver.sleep(.seconds(secondsAway + 10))
            publishing.dispose()
            #expect(try await replayed() == [1, 2, 3, 4, 5])
        }
    }

    @Test func publishingMoreThanLimitWhileDisconnectedFailsAfterQueuedElements() throws {
        try broker.run {
            broker.disconnect(for: .seconds(60))
            let (source, kept, failed) = (PublishSubject<Int>(), Seen(), Seen())
            let publishing = source.publish(to: orders, inFlight: 2).subscribe(
                onNext: { kept.add(Int($0.number)) },
                onError: { if $0 is FlowError { failed.add(kept.all.count) } })
            for order in 1...5 { source.onNext(order) }
            try await broker.driver.sleep(.seconds(70))
            publishing.dispose()
            #expect(failed.all == [2])
            #expect(try await replayed() == [1, 2])
        }
    }

    @Test func publishingDisposedWhileDisconnectedReleasesSourceAndStoresNothing() throws {
        try broker.run {
            broker.disconnect(for: .seconds(60))
            let source = PublishSubject<Int>()
            let publishing = source.publish(to: orders).subscribe()
            source.onNext(1)
            #expect(source.hasObservers)
            publishing.dispose()
            #expect(!source.hasObservers)
            try await broker.driver.sleep(.seconds(100))
            await #expect(throws: BrokerError.missing("stream orders")) { try await orders.summary() }
        }
    }

    @Test func publishingDisposedBeforeItsTaskStartsStoresNothing() throws {
        try broker.run {
            let source = PublishSubject<Int>()
            let publishing = source.publish(to: orders).subscribe()
            source.onNext(1)
            publishing.dispose()
            try await broker.driver.sleep(.seconds(10))
            #expect(try await orders.summary().last == Position(0))
        }
    }

    @Test func publishingDisposedDuringAppendDropsQueuedElements() throws {
        let (base, source, publishing) = (broker.driver, PublishSubject<Int>(), SerialDisposable())
        // An append survives the disposal of its subscription.
        let driver = OtherDriver(
            base,
            append: { messages, stream in
                source.onNext(2)
                publishing.dispose()
                return try await base.append(messages, to: stream)
            })
        try broker.run {
            let orders = OtherBroker(driver: driver).stream("orders", of: Int.self)
            publishing.disposable = source.publish(to: orders).subscribe()
            source.onNext(1)
            try await base.sleep(.seconds(10))
            #expect(try await replayed() == [1])
        }
    }

    @Test func publishingWithSlowObserverPauses() throws {
        try broker.run {
            let gate = BehaviorSubject(value: false)
            let publishing = Observable.range(start: 1, count: 100).publish(to: orders, inFlight: 4)
                .concatMapAsync { _ in try await gate.filter { $0 }.take(1).asSingle().value }
                .bounded(2)
                .subscribe()
            try await broker.driver.sleep(.seconds(10))
            #expect(try await (1...20).contains(orders.summary().count))
            gate.onNext(true)
            try await broker.driver.sleep(.seconds(10))
            publishing.dispose()
            #expect(try await orders.summary().count == 100)
        }
    }

    @Test func limitsOfZeroCountAsOne() throws {
        try broker.run {
            try await publish(1...3, inFlight: 0)
            let (seen, handled) = (Seen(), Seen())
            let deliveries = orders.deliveries(to: "d", inFlight: 0, deadline: .seconds(1_000)).subscribe(onNext: {
                seen.add($0.element)
            })
            let work = orders.work(as: "g", concurrency: 0, deadline: .seconds(1_000)) { handled.add($0) }.subscribe()
            try await broker.driver.sleep(.seconds(10))
            deliveries.dispose()
            work.dispose()
            #expect(seen.all == [1])
            #expect(handled.all == [1, 2, 3])
        }
    }

    @Test(arguments: [1, 0]) func publishingWithOneInFlightAppendsOneAtATime(inFlight: Int) throws {
        try broker.run {
            broker.latency = .seconds(1)
            let begun = broker.driver.scheduler.now
            try await publish(1...4, inFlight: inFlight)
            // Five calls of one second each: one creates the stream, four append.
            #expect(broker.driver.scheduler.now.timeIntervalSince(begun) > 4.9)
        }
    }

    @Test func permanentErrorEndsSequence() throws {
        try broker.run {
            let bad = broker.stream("no name", of: Int.self)
            await #expect(throws: BrokerError.self) {
                for try await _ in bad.replay(from: .beginning).values(buffering: .pausing(1)) {}
            }
            await #expect(throws: BrokerError.self) {
                for try await _ in Observable.just(1).publish(to: bad).values(buffering: .pausing(1)) {}
            }
        }
    }

    @Test func encodingErrorEndsPublishingAndIsThrownToCallers() throws {
        struct NoCode: Error {}
        try broker.run {
            let codec = Codec<Int> { _ in
                throw NoCode()
            } decode: { _ in
                0
            }
            let orders = broker.stream("orders", of: Int.self, codec: codec)
            await #expect(throws: NoCode.self) {
                for try await _ in Observable.just(1).publish(to: orders).values(buffering: .pausing(1)) {}
            }
            #expect(try await orders.summary().last == Position(0))
            await #expect(throws: NoCode.self) {
                try await broker.subject("prices", of: Int.self, codec: codec).send(1)
            }
            let relay = broker.relay("count", of: Int.self, codec: codec)
            await #expect(throws: NoCode.self) { try await relay.accept(1) }
            await #expect(throws: NoCode.self) { try await relay.update { _ in 1 } }
            let stored = try await relay.value
            #expect(stored == nil)
        }
    }

    @Test func publishingUnencodableElementStoresElementsBeforeIt() throws {
        struct NoCode: Error {}
        let codec = Codec<Int> { order in
            if order == 3 { throw NoCode() }
            return [UInt8]("\(order)".utf8)
        } decode: { _ in
            0
        }
        try broker.run {
            let orders = broker.stream("orders", of: Int.self, codec: codec)
            let kept = Seen()
            await #expect(throws: NoCode.self) {
                for try await position in Observable.of(1, 2, 3, 4).publish(to: orders).values(buffering: .pausing(8)) {
                    kept.add(Int(position.number))
                }
            }
            #expect(kept.all == [1, 2])
            let replayed = try await replayed()
            #expect(replayed == [1, 2])
        }
    }

    @Test(arguments: [[1, 2, 3, 4], [1, 3]])
    func publishingRefusedElementStoresElementsBeforeIt(numbers: [Int]) throws {
        let base = broker.driver
        let driver = OtherDriver(
            base,
            append: { messages, stream in
                if messages.contains(where: { $0.payload == [UInt8]("3".utf8) }) { throw BrokerError.refused("no 3") }
                return try await base.append(messages, to: stream)
            })
        try broker.run {
            let kept = Seen()
            let source = Observable.from(numbers)
            let orders = OtherBroker(driver: driver).stream("orders", of: Int.self)
            await #expect(throws: BrokerError.refused("no 3")) {
                for try await position in source.publish(to: orders).values(buffering: .pausing(8)) {
                    kept.add(Int(position.number))
                }
            }
            let before = Array(numbers.prefix { $0 != 3 })
            #expect(kept.all == Array(1...before.count))
            let replayed = try await replayed()
            #expect(replayed == before)
        }
    }

    @Test func sourceErrorFollowsStoredElements() throws {
        struct Broken: Error {}
        try broker.run {
            let source = Observable.from([1, 2, 3]).concat(Observable.error(Broken()))
            var positions: [Position] = []
            await #expect(throws: Broken.self) {
                for try await position in source.publish(to: orders).values(buffering: .pausing(8)) {
                    positions.append(position)
                }
            }
            #expect(positions.map(\.number) == [1, 2, 3])
        }
    }

    @Test func publishingForeignSubjectSendsNothingAfterIt() throws {
        let (base, sent) = (broker.driver, Seen())
        let driver = OtherDriver(
            base,
            append: { messages, stream in
                for message in messages { sent.add(Int(String(decoding: message.payload, as: UTF8.self)) ?? 0) }
                return try await base.append(messages, to: stream)
            })
        try broker.run {
            let orders = OtherBroker(driver: driver).stream("orders", of: Int.self)
            for foreign in ["foreign", "orders.*", "a b"] {
                var kept: [Position] = []
                await #expect(throws: BrokerError.self) {
                    let positions = Observable.of(1, 2, 3).publish(
                        to: orders, subject: { $0 == 2 ? foreign : "orders" })
                    for try await position in positions.values(buffering: .pausing(8)) { kept.append(position) }
                }
                #expect(kept.count == 1)
            }
        }
        #expect(sent.all == [1, 1, 1])
    }

    @Test func publishingEmptyIDsGeneratesIDs() throws {
        try broker.run {
            broker.loseReceipts(2)
            let source = Observable.from([1, 2, 3])
            for try await _ in source.publish(to: orders, id: { _ in "" }).values(buffering: .pausing(8)) {}
            let read = try await broker.driver.read("orders", from: Position(1), limit: 9, within: .seconds(0))
            #expect(read.count == 3 && Set(read.compactMap(\.message.id)).count == 3)
        }
    }

    private final class InterpretingDriver: ForwardingDriver, HeaderReading {
        let base: any LiveDriver

        init(_ base: any LiveDriver) { self.base = base }

        func goesAlong(_ name: String, _ value: String) -> Bool { !name.hasPrefix("Own-") }
    }

    @Test func relayOmitsHeadersThatTargetInterprets() throws {
        let target = OtherBroker(driver: InterpretingDriver(broker.driver)).stream("copies", of: Int.self)
        try broker.run {
            try await orders.ensure()
            let message = NewMessage("orders", [49], headers: ["Own-Rollup": "all", "Color": "blue"])
            _ = try await broker.driver.append([message], to: "orders")
            #expect(try await orders.relay(to: target, as: "r").take(1).toArray().value.count == 1)
            let copies = try await broker.driver.read("copies", from: Position(1), limit: 2, within: .seconds(0))
            #expect(copies.map(\.message.headers) == [["Color": "blue"]])
        }
    }
}
