import RxStreams
import RxSwift
import Testing

extension FaultTests {
    @Test func replayAfterDisconnectionContinues() throws {
        try broker.run {
            try await publish(1...10)
            let seen = Seen()
            let replay = orders.replay(from: .beginning).subscribe(onNext: { seen.add($0.element) })
            try await broker.driver.sleep(.seconds(1))
            broker.disconnect(for: .seconds(10))
            try await broker.driver.sleep(.seconds(11))
            try await publish(11...20)
            try await broker.driver.sleep(.seconds(5))
            replay.dispose()
            #expect(seen.all == Array(1...20))
        }
    }

    @Test func recordHasMetadataOfItsMessage() throws {
        try broker.run {
            try await publish(7...7)
            var records: [Record<Int>] = []
            for try await record in orders.replay(from: .beginning, live: false).values(buffering: .pausing(8)) {
                records.append(record)
            }
            let record = try #require(records.first)
            let stored = try await broker.driver.read("orders", from: Position(1), limit: 1, within: .seconds(0))[0]
            #expect(record.element == 7 && record.position == stored.position && record.time == stored.time)
            #expect(record.id == "7" && record.subject == "orders")
        }
    }

    @Test func replayWithSlowObserverPauses() throws {
        try broker.run {
            try await publish(1...100)
            let (gate, sent) = (BehaviorSubject(value: false), Seen())
            let replay = orders.replay(from: .beginning)
                .do(onNext: { sent.add($0.element) })
                .concatMapAsync { _ in try await gate.filter { $0 }.take(1).asSingle().value }
                .bounded(2)
                .subscribe()
            try await broker.driver.sleep(.seconds(10))
            #expect(sent.all.count <= 5)
            gate.onNext(true)
            try await broker.driver.sleep(.seconds(10))
            replay.dispose()
            #expect(sent.all == Array(1...100))
        }
    }

    @Test func replayOfExistingStreamLeavesItsSettingsUnchanged() throws {
        try broker.run {
            try await publish(1...3)
            let other = broker.stream("orders", of: Int.self, subjects: ["bills"], keeping: .last(1))
            let seen = Seen()
            for try await record in other.replay(from: .beginning, live: false).values(buffering: .pausing(8)) {
                seen.add(record.element)
            }
            #expect(seen.all == [1, 2, 3])
            #expect(try await broker.driver.append([NewMessage("orders", [])], to: "orders").count == 1)
        }
    }

    @Test func replayOfMissingStreamCreatesIt() throws {
        try broker.run {
            let replayed = try await replayed()
            #expect(replayed.isEmpty)
            #expect(try await orders.summary().count == 0)
        }
    }

    /// Elements 11 and 12 are appended before the restart is detected.
    @Test func replayAfterPositionsRestartContinues() throws {
        try broker.run {
            try await publish(1...10)
            let seen = Seen()
            let replay = orders.replay(from: .beginning).subscribe(onNext: { seen.add($0.element) })
            try await broker.driver.sleep(.seconds(1))
            broker.crash(losing: 4, of: "orders")
            try await publish(11...12)
            try await broker.driver.sleep(.seconds(40))
            try await publish(13...20)
            try await broker.driver.sleep(.seconds(1))
            replay.dispose()
            #expect(seen.all == Array(1...20))
        }
    }

    @Test func replayFromEndAfterPositionsRestartContinuesAtEnd() throws {
        try broker.run {
            try await publish(1...10)
            let seen = Seen()
            let replay = orders.replay(from: .end).subscribe(onNext: { seen.add($0.element) })
            try await broker.driver.sleep(.seconds(1))
            broker.crash(losing: 4, of: "orders")
            try await broker.driver.sleep(.seconds(40))
            try await publish(11...12)
            try await broker.driver.sleep(.seconds(1))
            replay.dispose()
            #expect(seen.all == [11, 12])
        }
    }

    @Test func replayPausedWhileStreamIsRecreatedFailsWithMissing() throws {
        try broker.run {
            try await publish(1...20)
            var records = orders.replay(from: .beginning).values(buffering: .pausing(2)).makeAsyncIterator()
            var seen = [try await records.next()?.element]
            try await orders.remove()
            try await orders.ensure()
            try await publish(101...125)
            do {
                while seen.count < 25, let record = try await records.next() { seen.append(record.element) }
                Issue.record("it has not ended")
            } catch {
                #expect(error as? BrokerError == .missing("stream orders"))
            }
            #expect(seen == Array(1...20))
        }
    }

    @Test func replayWhileDownstreamIsPausedReadsNothing() throws {
        let (sent, reads) = (Seen(), Seen())
        let driver = OtherDriver(broker.driver, reads: { reads.add(1) })
        try broker.run {
            try await publish(1...1)
            let replay = OtherBroker(driver: driver).stream("orders", of: Int.self).replay(from: .beginning)
                .do(onNext: { sent.add($0.element) })
            var elements = replay.values(buffering: .pausing(2)).makeAsyncIterator()
            _ = try await elements.next()
            for order in 2...6 {
                try await publish(order...order)
                try await broker.driver.sleep(.seconds(1))
            }
            #expect(sent.all.count < 6 && reads.all.count == sent.all.count)
            withExtendedLifetime(elements) {}
        }
    }

    @Test func finiteReplayOmitsElementsAppendedDuringIt() throws {
        try broker.run {
            try await publish(1...3)
            let other = broker.another()
            broker.latency = .seconds(1)
            let (seen, ended) = (Seen(), Seen())
            let replay = orders.replay(from: .beginning, live: false)
                .subscribe(onNext: { seen.add($0.element) }, onCompleted: { ended.add(1) })
            // Each call takes a second. The third call has located the last element. The fourth call will read.
            try await broker.driver.sleep(.milliseconds(3_500))
            _ = try await other.driver.append([NewMessage("orders", [UInt8]("4".utf8))], to: "orders")
            try await broker.driver.sleep(.seconds(10))
            replay.dispose()
            #expect(seen.all == [1, 2, 3])
            #expect(ended.all == [1])
        }
    }

    @Test func finiteReplayOfTruncatedStreamCompletes() throws {
        try broker.run {
            try await publish(1...3)
            broker.latency = .seconds(1)
            let (seen, ended) = (Seen(), Seen())
            let replay = orders.replay(from: .beginning, live: false)
                .subscribe(onNext: { seen.add($0.element) }, onCompleted: { ended.add(1) })
            try await broker.driver.sleep(.milliseconds(3_500))
            broker.crash(losing: 3, of: "orders")
            try await broker.driver.sleep(.seconds(10))
            replay.dispose()
            #expect(seen.all.isEmpty)
            #expect(ended.all == [1])
        }
    }

    @Test(arguments: 0...3) func replayConnectionLostAtStartDeliversAll(calls: Int) throws {
        try broker.run {
            try await publish(1...3)
            broker.latency = .seconds(1)
            let (seen, ended) = (Seen(), Seen())
            let replay = orders.replay(from: .beginning, live: false)
                .subscribe(onNext: { seen.add($0.element) }, onCompleted: { ended.add(1) })
            try await broker.driver.sleep(.milliseconds(1_000 * calls + 500))
            broker.disconnect(for: .seconds(3))
            try await broker.driver.sleep(.seconds(60))
            replay.dispose()
            #expect(seen.all == [1, 2, 3])
            #expect(ended.all == [1])
        }
    }

    @Test func removedStreamIsMissing() throws {
        try broker.run {
            try await publish(1...1)
            try await orders.remove()
            await #expect(throws: BrokerError.missing("stream orders")) { try await orders.summary() }
        }
    }

    @Test func replayAfterCrashOmitsLostElements() throws {
        try broker.run {
            try await publish(1...10)
            broker.crash(losing: 4, of: "orders")
            #expect(try await replayed() == Array(1...6))
        }
    }

    @Test func crashLosingNothingKeepsAllElements() throws {
        try broker.run {
            try await publish(1...3)
            for count in [0, -1] { broker.crash(losing: count, of: "orders") }
            #expect(try await replayed() == [1, 2, 3])
        }
    }

    @Test func lostElementsPublishedAgainAreStoredAndHandled() throws {
        try broker.run {
            try await publish(1...10)
            let handled = Seen()
            let work = orders.work(as: "g", deadline: .seconds(60)) { handled.add($0) }.subscribe()
            try await settle()
            broker.crash(losing: 4, of: "orders")
            try await publish(1...10)
            try await settle()
            work.dispose()
            #expect(try await replayed() == Array(1...10))
            #expect(handled.all.sorted() == (Array(1...10) + Array(7...10)).sorted())
            broker.crash(losing: 100, of: "orders")
            #expect(try await replayed().isEmpty)
        }
    }

    @Test func lostElementFreesPositionAndIsNotUnsettled() throws {
        try broker.run {
            try await publish(1...3)
            let member = try await join()
            #expect(try await member.pull(upTo: 3, within: .seconds(1)).count == 3)
            broker.crash(losing: 1, of: "orders")
            #expect(try await orders.summary(of: "g") == GroupSummary(waiting: 0, unsettled: 2))
            let receipts = try await broker.driver.append([NewMessage("orders", [4])], to: "orders")
            #expect(receipts == [Receipt(Position(3))])
        }
    }

    /// The times of old and new elements differ by half a millisecond.
    @Test func replayAfterImmediatePositionsRestartOmitsNothing() throws {
        try broker.run {
            try await publish(1...10)
            let seen = Seen()
            let replay = orders.replay(from: .beginning).subscribe(onNext: { seen.add($0.element) })
            try await broker.driver.sleep(.microseconds(500))
            #expect(seen.all == Array(1...10))
            broker.crash(losing: 4, of: "orders")
            try await publish(11...12)
            try await broker.driver.sleep(.seconds(40))
            replay.dispose()
            #expect(seen.all == Array(1...12))
        }
    }
}
