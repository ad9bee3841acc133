import RxStreams
import RxSwift
import Synchronization
import Testing

extension FaultTests {
    @Test func deliveriesToDeadProcessCountAsAttempts() throws {
        try broker.run {
            try await publish(1...1)
            let member = try await join()
            for _ in 1...3 { #expect(try await member.pull(upTo: 1, within: .seconds(60)).count == 1) }
            let handled = Seen()
            let dead = Seen()
            let work = orders.work(as: "g", attempts: 3, deadline: .seconds(5)) { handled.add($0) }.subscribe()
            let letters = orders.deadLetters().subscribe(onNext: { dead.add($0.attempts) })
            try await broker.driver.sleep(.seconds(30))
            work.dispose()
            letters.dispose()
            #expect(handled.all.isEmpty)
            #expect(dead.all == [4])
        }
    }

    @Test func deadLetterNotStoredIsStoredAfterRedelivery() throws {
        try broker.run {
            try await publish(1...1)
            let dead = Seen()
            let letters = orders.deadLetters().subscribe(onNext: { dead.add($0.attempts) })
            let work = orders.work(as: "g", attempts: 1, deadline: .seconds(100)) { _ in
                broker.disconnect(for: .seconds(3))
                throw BrokerError.refused("no")
            }.subscribe()
            try await broker.driver.sleep(.seconds(30))
            work.dispose()
            letters.dispose()
            #expect(dead.all == [2])
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    @Test func deadLetterNotStoredReportsUntold() throws {
        try broker.run {
            try await publish(1...1)
            let (untold, dead) = (Seen(), Seen())
            let work = orders.work(as: "g", attempts: 1, deadline: .seconds(100)) { _ in
                broker.disconnect(for: .seconds(3))
                throw BrokerError.refused("no")
            }.subscribe(onNext: { outcome in
                if case .untold(let delivery) = outcome { untold.add(delivery.attempt) }
                if case .dead(let delivery, _) = outcome { dead.add(delivery.attempt) }
            })
            try await broker.driver.sleep(.seconds(30))
            work.dispose()
            #expect(untold.all == [1])
            #expect(dead.all.isEmpty)
        }
    }

    @Test func deadLetterHasIDSubjectStreamAndGroup() throws {
        try broker.run {
            try await publish(1...1)
            let found = Mutex<[DeadLetter]>([])
            let letters = orders.deadLetters().subscribe(onNext: { letter in found.withLock { $0.append(letter) } })
            let work = orders.work(as: "g", attempts: 1, deadline: .seconds(100)) { _ in
                throw BrokerError.refused("no")
            }.subscribe()
            try await broker.driver.sleep(.seconds(30))
            work.dispose()
            letters.dispose()
            let first = found.withLock { $0.first }
            let letter = try #require(first)
            #expect(letter.id == "1" && letter.subject == "orders")
            #expect(letter.stream == "orders" && letter.group == "g")
        }
    }

    @Test func deadLetterReasonHasDeliveryCount() throws {
        try broker.run {
            try await publish(1...1)
            let member = try await join()
            for _ in 1...2 { #expect(try await member.pull(upTo: 1, within: .seconds(60)).count == 1) }
            let reasons = Mutex<[String]>([])
            let letters = orders.deadLetters().subscribe(onNext: { letter in
                reasons.withLock { $0.append(letter.reason) }
            })
            let work = orders.work(as: "g", attempts: 2, deadline: .seconds(5)) { _ in }.subscribe()
            try await broker.driver.sleep(.seconds(30))
            work.dispose()
            letters.dispose()
            #expect(reasons.withLock { $0 } == ["delivered 2 times and never settled"])
        }
    }

    @Test func deadLetterBeingStoredMessageIsNotRedelivered() throws {
        try broker.run {
            try await publish(1...1)
            let dead = Seen()
            let held = Mutex<Delivery<Int>?>(nil)
            let letters = orders.deadLetters().subscribe(onNext: { dead.add($0.attempts) })
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(5)).subscribe(onNext: { delivery in
                held.withLock { $0 = delivery }
            })
            try await broker.driver.sleep(.seconds(1))
            // Only the call that stores the dead letter takes a minute.
            broker.latency = .seconds(60)
            held.withLock { $0 }?.reject("no")
            try await broker.driver.sleep(.milliseconds(1))
            broker.latency = .seconds(0)
            let other = try await join()
            #expect(try await other.pull(upTo: 1, within: .seconds(30)).isEmpty)
            try await broker.driver.sleep(.seconds(60))
            deliveries.dispose()
            letters.dispose()
            #expect(dead.all == [1])
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    @Test func messageRejectedByTwoGroupsHasTwoDeadLetters() throws {
        try broker.run {
            try await publish(1...1)
            let groups = Mutex<Set<String>>([])
            let letters = orders.deadLetters().subscribe(onNext: { letter in
                groups.withLock { _ = $0.insert(letter.group) }
            })
            let deliveries = ["a", "b"].map { group in
                orders.deliveries(to: group).subscribe(onNext: { $0.reject("no") })
            }
            try await broker.driver.sleep(.seconds(5))
            deliveries.forEach { $0.dispose() }
            letters.dispose()
            #expect(groups.withLock { $0 } == ["a", "b"])
        }
    }

    @Test func deadLetterKeepsHeaders() throws {
        try broker.run {
            try await orders.ensure()
            let message = NewMessage("orders", [49], headers: ["Color": "blue"])
            _ = try await broker.driver.append([message], to: "orders")
            let deliveries = orders.deliveries(to: "g").subscribe(onNext: { $0.reject("no") })
            try await broker.driver.sleep(.seconds(5))
            deliveries.dispose()
            let dead = try await broker.driver.read("orders-dead", from: Position(1), limit: 2, within: .seconds(0))
            #expect(dead.map { $0.message.headers["Color"] } == ["blue"])
        }
    }

    @Test func deadLetterTooLargeIsStoredWithoutPayloadAndHeaders() throws {
        let base = broker.driver
        let driver = OtherDriver(
            base,
            append: { messages, stream in
                let isLarge = messages.contains { $0.headers.values.contains { $0.utf8.count > 1_000 } }
                if stream == "orders-dead", isLarge { throw BrokerError.refused("too large") }
                return try await base.append(messages, to: stream)
            })
        try broker.run {
            try await orders.ensure()
            let message = NewMessage("orders", [49], headers: ["Color": String(repeating: "x", count: 2_000)])
            _ = try await base.append([message], to: "orders")
            let deliveries = OtherBroker(driver: driver).stream("orders", of: Int.self).deliveries(to: "g")
                .subscribe(onNext: { $0.reject("no") })
            try await base.sleep(.seconds(5))
            deliveries.dispose()
            var letters: [DeadLetter] = []
            for try await letter in orders.deadLetters(live: false).values(buffering: .pausing(8)) {
                letters.append(letter)
            }
            #expect(letters.map(\.isCut) == [true] && letters.map(\.payload) == [[]])
            #expect(letters.map(\.reason) == ["no"])
        }
    }

    @Test func deadLetterWithOnlyStreamAndPositionIsRead() throws {
        try broker.run {
            try await broker.driver.ensure(StreamSettings("orders-dead"))
            let message = NewMessage("orders-dead", [7], headers: ["Rx-Stream": "orders", "Rx-Position": "3"])
            _ = try await broker.driver.append([message], to: "orders-dead")
            var letters: [DeadLetter] = []
            for try await letter in orders.deadLetters(live: false).values(buffering: .pausing(8)) {
                letters.append(letter)
            }
            let letter = try #require(letters.first)
            #expect(letter.position == Position(3) && letter.payload == [7] && !letter.isCut)
            #expect(letter.reason == "" && letter.group == "" && letter.subject == "" && letter.id == nil)
            #expect(letter.attempts == 0)
        }
    }

    @Test func deadLetterReasonIsCutToThousandCharacters() throws {
        try broker.run {
            try await publish(1...1)
            let reasons = Mutex<[String]>([])
            let letters = orders.deadLetters().subscribe(onNext: { letter in
                reasons.withLock { $0.append(letter.reason) }
            })
            let deliveries = orders.deliveries(to: "g").subscribe(onNext: {
                $0.reject("\n" + String(repeating: "ä", count: 1_500))
            })
            try await broker.driver.sleep(.seconds(30))
            deliveries.dispose()
            letters.dispose()
            #expect(reasons.withLock { $0 } == [" " + String(repeating: "ä", count: 999)])
        }
    }

    @Test func deadLettersOmitOtherMessagesOfTheirStream() throws {
        try broker.run {
            try await publish(1...2)
            let dead = Seen()
            let letters = orders.deadLetters().subscribe(onNext: { dead.add($0.position.number == 2 ? 2 : 1) })
            let deliveries = orders.deliveries(to: "g").subscribe(onNext: {
                if $0.element == 2 { $0.reject("no") } else { $0.ack() }
            })
            try await broker.driver.sleep(.seconds(1))
            let none: [[String: String]] = [
                [:], ["Rx-Stream": "orders"], ["Rx-Stream": "orders", "Rx-Position": "one"], ["Rx-Position": "1"],
            ]
            let strangers = none.map { NewMessage("orders-dead", [1], headers: $0) }
            _ = try await broker.driver.append(strangers, to: "orders-dead")
            try await broker.driver.sleep(.seconds(30))
            deliveries.dispose()
            letters.dispose()
            #expect(dead.all == [2])
        }
    }

    @Test(arguments: 0...2) func existingDeadLetterStreamIsLeftUnchanged(user: Int) throws {
        try broker.run {
            try await broker.driver.ensure(StreamSettings("orders-dead", keeping: .last(2)))
            let pipeline: any Disposable =
                switch user {
                case 0: orders.work(as: "g") { _ in }.subscribe()
                case 1: orders.deliveries(to: "g").subscribe()
                default: orders.deadLetters().subscribe()
                }
            try await broker.driver.sleep(.seconds(1))
            pipeline.dispose()
            let letters = (1...5).map { NewMessage("orders-dead", [$0]) }
            _ = try await broker.driver.append(letters, to: "orders-dead")
            #expect(try await broker.driver.summary(of: "orders-dead").count == 2)
        }
    }

    @Test(arguments: [false, true]) func deadLetterStreamIsCreatedWithReplicasOfItsStream(reads: Bool) throws {
        let made = Mutex<[StreamSettings]>([])
        let driver = OtherDriver(broker.driver, ensures: { stream in made.withLock { $0.append(stream) } })
        try broker.run {
            let orders = OtherBroker(driver: driver).stream("orders", of: Int.self, replicas: 3)
            let pipeline = reads ? orders.deadLetters().subscribe() : orders.deliveries(to: "g").subscribe()
            try await driver.sleep(.seconds(1))
            pipeline.dispose()
            #expect(made.withLock { $0.last } == StreamSettings("orders-dead", replicas: 3))
        }
    }

    @Test func deadLettersInSharedStreamAreFilteredByStream() throws {
        try broker.run {
            let bills = broker.stream("bills", of: Int.self)
            for try await _ in Observable.just(7).publish(to: bills).values(buffering: .pausing(1)) {}
            try await publish(1...1)
            let dead = Seen()
            let letters = orders.deadLetters(in: "lost").subscribe(onNext: { letter in
                dead.add(Int(String(decoding: letter.payload, as: UTF8.self)) ?? 0)
            })
            let works = [bills, orders].map { stream in
                stream.work(as: "g", attempts: 1, dead: "lost") { _ in throw BrokerError.refused("no") }.subscribe()
            }
            try await broker.driver.sleep(.seconds(30))
            works.forEach { $0.dispose() }
            letters.dispose()
            #expect(dead.all == [1])
        }
    }

    @Test func deadLettersOfReusedPositionAreBothStored() throws {
        try broker.run {
            let dead = Seen()
            let letters = orders.deadLetters().subscribe(onNext: { letter in
                dead.add(Int(String(decoding: letter.payload, as: UTF8.self)) ?? 0)
            })
            for order in 1...2 {
                try await publish(order...order)
                let work = orders.work(as: "g", attempts: 1, deadline: .seconds(60)) { _ in
                    throw BrokerError.refused("no")
                }.subscribe()
                try await broker.driver.sleep(.seconds(5))
                work.dispose()
                broker.crash(losing: 1, of: "orders")
            }
            letters.dispose()
            #expect(dead.all == [1, 2])
        }
    }
}
