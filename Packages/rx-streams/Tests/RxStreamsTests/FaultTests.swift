import RxResilience
import RxStreams
import RxSwift
import Synchronization
import Testing

/// What pipelines do when the broker fails, in virtual time.
struct FaultTests {
    /// What was seen, from any task.
    final class Seen: Sendable {
        private let values = Mutex<[Int]>([])
        var all: [Int] { values.withLock { $0 } }
        func add(_ value: Int) { values.withLock { $0.append(value) } }
    }

    private let broker = VirtualBroker(HistoricalScheduler())

    private var orders: DurableStream<Int> { broker.stream("orders", of: Int.self) }

    private func publish(_ numbers: ClosedRange<Int>, inFlight: Int = 8) async throws {
        let source = Observable.from(Array(numbers))
        for try await _ in source.publish(to: orders, id: { "\($0)" }, inFlight: inFlight)
            .values(buffering: .pausing(8))
        {}
    }

    /// Waits until the group has nothing left to do.
    private func settle(_ group: String = "g") async throws {
        while true {
            if let summary = try? await orders.summary(of: group), summary.lag == 0 { return }
            try await broker.driver.sleep(.milliseconds(100))
        }
    }

    @Test func aReceiptThatIsLostKeepsNothingTwice() throws {
        try broker.run {
            broker.loseReceipts(3)
            try await publish(1...30)
            #expect(try await orders.summary().count == 30)
            #expect(try await replayed() == Array(1...30))
        }
    }

    @Test func aReceiptThatIsLostIsNoneThoughItsMessageIsKept() throws {
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

    @Test func whatHasNoIDOfItsOwnIsNotKeptTwiceEither() throws {
        try broker.run {
            broker.loseReceipts(2)
            let source = Observable.from([1, 2, 3])
            for try await _ in source.publish(to: orders).values(buffering: .pausing(8)) {}
            #expect(try await replayed() == [1, 2, 3])
        }
    }

    @Test func whatHasNoIDIsNoDuplicateOfWhatSomebodyElsePublished() throws {
        try broker.run {
            for _ in 1...2 {
                for try await _ in Observable.from([1, 2]).publish(to: orders).values(buffering: .pausing(8)) {}
            }
            #expect(try await replayed() == [1, 2, 1, 2])
        }
    }

    @Test func publishingWaitsWhileThereIsNoBroker() throws {
        try broker.run {
            broker.disconnect(for: .seconds(60))
            let begun = broker.driver.scheduler.now
            try await publish(1...10)
            #expect(broker.driver.scheduler.now.timeIntervalSince(begun) >= 60)
            #expect(try await orders.summary().count == 10)
        }
    }

    @Test func afterALongOutageWhatIsToBePublishedWaitsTwoSecondsAtMost() throws {
        try broker.run {
            broker.disconnect(for: .seconds(3_000))
            let begun = broker.driver.scheduler.now
            try await publish(1...1)
            #expect(broker.driver.scheduler.now.timeIntervalSince(begun) <= 3_002)
        }
    }

    /// Of the calls that it begins with each fails once.
    @Test(arguments: 0...1) func publishingBeginsThoughTheConnectionIsLost(calls: Int) throws {
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

    /// Also where the engine is away when it begins.
    @Test(arguments: [0, 60]) func whatIsSentAsSoonAsItIsSubscribedToIsPublished(secondsAway: Int) throws {
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

    @Test func moreThanMayWaitForTheEngineFailsBehindWhatWaits() throws {
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

    @Test func whoIsDisposedOfWhileItWaitsForTheEngineLetsItsSourceGoAndPublishesNothing() throws {
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

    @Test func whoIsDisposedOfBeforeItsTaskBeginsPublishesNothing() throws {
        try broker.run {
            let source = PublishSubject<Int>()
            let publishing = source.publish(to: orders).subscribe()
            source.onNext(1)
            publishing.dispose()
            try await broker.driver.sleep(.seconds(10))
            #expect(try await orders.summary().last == Position(0))
        }
    }

    @Test func whoIsDisposedOfWhileSomeAreKeptPublishesNothingOfWhatWaits() throws {
        let (base, source, publishing) = (broker.driver, PublishSubject<Int>(), SerialDisposable())
        // What it has begun to keep it keeps, also for who has gone.
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

    @Test func publishingPausesWherePositionsAreTakenInSlowly() throws {
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

    @Test func whereNothingMayBeInFlightOneIsAllTheSame() throws {
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

    @Test(arguments: [1, 0]) func whereOneIsInFlightEachIsKeptByItself(inFlight: Int) throws {
        try broker.run {
            broker.latency = .seconds(1)
            let begun = broker.driver.scheduler.now
            try await publish(1...4, inFlight: inFlight)
            // One call makes the stream, and each of the others keeps one.
            #expect(broker.driver.scheduler.now.timeIntervalSince(begun) > 4.9)
        }
    }

    @Test func workGoesOnAfterADisconnection() throws {
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
            // Nothing was handled twice: its verdicts waited for the connection, which was back before the deadline.
            #expect(handled.all.sorted() == Array(1...20))
        }
    }

    /// Of the calls that it begins with each fails once.
    @Test(arguments: 0...4) func workBeginsThoughTheConnectionIsLost(calls: Int) throws {
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

    @Test func twiceAsManyElementsAsHandlersAreInFlight() throws {
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

    @Test func asManyHandlersAsThereAreNumbersAreNoMoreThanAGroupMayHaveUnsettled() throws {
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

    @Test func oneHandlerRunsAtATimeUnlessMoreAreAskedFor() throws {
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

    @Test func whileTheChainBelowIsPausedNothingIsPulled() throws {
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

    @Test func whileOutcomesAreNotTakenInNothingIsPulledEither() throws {
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

    @Test func handlersWaitWhereOutcomesAreTakenInSlowly() throws {
        try broker.run {
            try await publish(1...100)
            let (gate, handled) = (BehaviorSubject(value: false), Seen())
            let work = orders.work(as: "g", concurrency: 2, deadline: .seconds(1_000)) { handled.add($0) }
                .concatMapAsync { _ in try await gate.filter { $0 }.take(1).asSingle().value }
                .bounded(2)
                .subscribe()
            try await broker.driver.sleep(.seconds(10))
            // Two that are held below, one that is taken in, and two whose handlers wait.
            #expect(handled.all.count <= 5)
            gate.onNext(true)
            try await settle()
            work.dispose()
            #expect(handled.all.count == 100)
        }
    }

    @Test func afterALongOutageAVerdictIsToldWithinASecond() throws {
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

    @Test func whatTheEngineDoesNotTakeAnyMoreIsUntold() throws {
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

    @Test func whereNoAttemptIsAllowedOneIsMadeAllTheSame() throws {
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

    @Test func whatCouldNotBeToldBeforeTheDeadlineIsUntoldAndComesAgain() throws {
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

    @Test func aVerdictThatIsLostBringsItsMessageAgain() throws {
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

    @Test func whatIsDeliveredTwiceToWhoHasItIsHandledOnce() throws {
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

    @Test func whatIsDeliveredTwiceToWhoSettlesItHimselfComesTwice() throws {
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

    /// A broker whose members cannot extend a deadline, as those of a process that is stopped for a while.
    private func neverExtending() -> OtherBroker {
        let base = broker.driver
        return OtherBroker(driver: OtherDriver(base, join: { MuteMember(try await base.join($0, of: $1)) }))
    }

    @Test func whatComesAgainToWhoHandlesItIsHandledOnce() throws {
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

    @Test func orderedWorkDoesNotGoBackWhereWhatItHoldsComesAgain() throws {
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

    /// A deployment with a shorter deadline comes and goes.
    @Test func whoJoinsWithAShorterDeadlineTakesNothingFromOthers() throws {
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

    @Test func whoWorksOnOtherSubjectsOfAGroupIsTold() throws {
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

    @Test func whatADeadProcessTookWithItCountsAsAttempts() throws {
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

    @Test func whatCouldNotBePutAmongTheDeadComesAgainAndIsPutThereThen() throws {
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

    @Test func whatCouldNotBePutAmongTheDeadIsUntold() throws {
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

    @Test func aDeadLetterSaysWhatItWasAndWhoHadIt() throws {
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

    @Test func aDeadLetterSaysHowOftenItWasDeliveredForNothing() throws {
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

    @Test func whatIsLongOnItsWayToTheDeadLettersIsDeliveredToNobodyMeanwhile() throws {
        try broker.run {
            try await publish(1...1)
            let dead = Seen()
            let held = Mutex<Delivery<Int>?>(nil)
            let letters = orders.deadLetters().subscribe(onNext: { dead.add($0.attempts) })
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(5)).subscribe(onNext: { delivery in
                held.withLock { $0 = delivery }
            })
            try await broker.driver.sleep(.seconds(1))
            // Only the call that keeps the dead letter takes long.
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

    @Test func whatTwoGroupsGiveUpIsAmongTheDeadOfBoth() throws {
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

    @Test func aDeadLetterKeepsWhatWentWithItsMessage() throws {
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

    @Test func aDeadLetterThatIsTooLargeIsKeptWithoutWhatWentWithItsMessage() throws {
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

    @Test func aDeadLetterThatSaysNoMoreThanWhereItWasIsOne() throws {
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

    /// In a process of its own, which logs to standard error.
    @Test(arguments: [false, true])
    func thatTheEngineTakesNoDeadLettersIsLoggedOnceUntilItDoesAgain(inOrder: Bool) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            [inOrder = inOrder as Bool] in
            try FaultTests().giveUpTwoThatAreRefused(inOrder: inOrder)
        }
        #expect(warnings(in: result) == ["rx.position=1", "rx.position=2"])
    }

    @Test func whatCouldNotBePutAmongTheDeadForWantOfAConnectionIsNotLogged() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try FaultTests().whatCouldNotBePutAmongTheDeadIsUntold()
        }
        #expect(result != nil && warnings(in: result) == [])
    }

    /// Each cannot be put among the dead letters for half a minute.
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

    /// Its window is full, and so it pulls nothing more that could fail.
    @Test func verdictRefusedDeliveriesWithFullWindowFailsWithRefused() throws {
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

    /// In a process of its own, which logs to standard error.
    @Test func messagesThatCannotBeDecodedManyAreLoggedTenTimesAMinuteAtMost() async {
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

    /// In a process of its own, which logs to standard error.
    @Test func thatTheEngineDoesNotDoWhatItIsAskedForIsLoggedOnceInAWhile() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            try FaultTests().publishForThreeMinutesToAnEngineWithoutRoom()
        }
        let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("an operation of the engine fails") }
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

    /// Which messages a process warned of that could not be put among the dead letters.
    private func warnings(in result: ExitTest.Result?) -> [String] {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
            .filter { $0.contains("a dead letter cannot be stored") }
            .flatMap { $0.split(separator: " ") }.filter { $0.hasPrefix("rx.position=") }.map(String.init)
    }

    @Test func aDeadLettersReasonHasAThousandSignsAtMost() throws {
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

    @Test func whatIsNoDeadLetterIsLeftOutOfThem() throws {
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

    @Test(arguments: ["", "x", "1", "1.2.3", "x.1"]) func aTokenOfNothingIsRefused(_ token: String) throws {
        try broker.run {
            try await publish(1...1)
            let member = try await join()
            await #expect(throws: BrokerError.refused("'\(token)' is not a token")) {
                try await member.settle([Verdict(MessageToken(token), .done)])
            }
            #expect(try await orders.summary(of: "g").lag == 1)
        }
    }

    /// Who handles, who gets deliveries, and who reads them.
    @Test(arguments: 0...2) func aStreamOfDeadLettersThatIsThereStaysAsItIs(user: Int) throws {
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

    @Test(arguments: [false, true]) func aStreamOfDeadLettersIsMadeWithTheReplicasOfItsStream(reads: Bool) throws {
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

    @Test func ofDeadLettersInOneStreamEachGetsItsOwn() throws {
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

    @Test func aLateVerdictTakesAMessageAwayFromNobodyWhoHasItNow() throws {
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

    private func join() async throws -> any GroupMember {
        try await broker.driver.join(GroupSettings("g", deadline: .seconds(5)), of: "orders")
    }

    @Test func aReplayGoesOnWhereItWas() throws {
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

    @Test func anErrorThatTryingAgainDoesNotHelpEndsTheSequence() throws {
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

    @Test func whatTheCodecThrowsEndsWhatWasToBeEncoded() throws {
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

    @Test func whatIsBeforeAnElementThatCannotBeEncodedIsKept() throws {
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
    func whatIsBeforeAnElementThatIsRefusedIsKept(numbers: [Int]) throws {
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

    @Test func aGroupThatIsRemovedFailsWhatIsDeliveredAndHandled() throws {
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

    @Test func aGroupThatMakesNoSenseIsRefusedAlsoWhileThereIsNoBroker() throws {
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

    @Test func theSourcesErrorComesBehindWhatItHasSent() throws {
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

    @Test func aRetryAfterSaysWhenAndWhether() throws {
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

    /// Where an element keeps its lane all its attempts are of one delivery.
    @Test(arguments: [false, true]) func thePausesBetweenAttemptsGrow(inOrder: Bool) throws {
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

    @Test func aHandlerThatIsCutShortHasNotFailed() throws {
        try broker.run {
            try await publish(1...1)
            let work = orders.work(as: "g", retry: .every(.seconds(100)), deadline: .seconds(1_000)) { _ in
                try await broker.driver.sleep(.seconds(500))
            }.subscribe()
            try await broker.driver.sleep(.seconds(1))
            work.dispose()
            try await broker.driver.sleep(.seconds(1))
            let member = try await join()
            // It is handed back at once, not after the pause of a retry.
            #expect(try await member.pull(upTo: 1, within: .seconds(10)).map(\.attempt) == [2])
        }
    }

    @Test func inOrderTooAnElementIsTriedAgainAfterItsPause() throws {
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

    @Test func inOrderTooAnElementIsTriedSoOftenAndNoMore() throws {
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

    @Test func inOrderTooOtherKeysAreHandledWhileOnePauses() throws {
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

    @Test func inOrderTooADrainWaitsForWhatPauses() throws {
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

    @Test func inOrderTooWhatPausesIsHandedBackAtOnceAndNotTriedAgain() throws {
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

    @Test func inOrderTooWhatPausesIsLetGoWhenItIsDisposedOf() throws {
        final class Held: Sendable {}
        final class Box: @unchecked Sendable {  // one thread's alone
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
            // Longer than any of its other tasks sleeps.
            try await broker.driver.sleep(.seconds(100))
            #expect(box.held == nil)
        }
    }

    /// For want of a connection, or because the answer is lost.
    @Test(arguments: [false, true])
    func inOrderTooNothingOvertakesWhatCannotBePutAmongTheDeadYet(isKept: Bool) throws {
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

    @Test func drainingWorkInOrderDeadLettersNotTakenEndsWhenBrokerIsClosed() throws {
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

    @Test func aDeliveryIsSettledOnce() throws {
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

    @Test func aDeliveryThatIsToBeTriedAgainComesAfterItsPause() throws {
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

    @Test func aDeliveryThatIsToBeTriedAgainIsNotDoneByWhatIsSaidAfterIt() throws {
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

    @Test func whatIsSaidWhileAnotherVerdictIsOnItsWayIsToldAlsoAfterADisposal() throws {
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
    func whatIsRejectedIsGivenUpAlsoWhereItsChainIsDisposedOfAtOnce(closes: Bool) throws {
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

    @Test func whatIsNotSettledIsHandedBackAtOnceThoughAnotherIsLongOnItsWayToTheDeadLetters() throws {
        try broker.run {
            try await publish(1...2)
            let held = Mutex<[Delivery<Int>]>([])
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(5)).subscribe(onNext: { delivery in
                held.withLock { $0.append(delivery) }
            })
            try await broker.driver.sleep(.seconds(1))
            // Only the call that keeps the dead letter takes long.
            broker.latency = .seconds(60)
            held.withLock { $0[0] }.reject("no")
            try await broker.driver.sleep(.milliseconds(1))
            broker.latency = .seconds(0)
            deliveries.dispose()
            let member = try await join()
            let again = try await member.pull(upTo: 2, within: .seconds(1))
            #expect(again.map(\.stored.position.number) == [2])
            try await member.settle(again.map { Verdict($0.token, .done) })
            // The other one is nobody's meanwhile.
            #expect(try await member.pull(upTo: 2, within: .seconds(90)).isEmpty)
            #expect(try await orders.summary(of: "g").lag == 0)
        }
    }

    @Test func whoLeavesDoesNotShortenThePauseOfWhatIsToComeAgain() throws {
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
            // While the first verdict is on its way this one waits: who leaves says it.
            held.withLock { $0[1] }.retry(after: .seconds(60))
            deliveries.dispose()
            let member = try await other.driver.join(GroupSettings("g", deadline: .seconds(1_000)), of: "orders")
            #expect(try await member.pull(upTo: 1, within: .seconds(30)).isEmpty)
            #expect(try await member.pull(upTo: 1, within: .seconds(60)).map(\.attempt) == [2])
        }
    }

    @Test func whatWasDeliveredSoOftenForNothingGoesWhereItIsToldInstead() throws {
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

    @Test func whereNoDeliveryIsAllowedOneIsMadeAllTheSame() throws {
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

    @Test func deliveriesBeginWhereTheyAreToldAndAreOfTheSubjectsThatAreAskedFor() throws {
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

    @Test func aDeliveryThatIsToBeTriedAgainIsExtendedNoMore() throws {
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

    @Test func aDeliverySaysWhatItsMessageIs() throws {
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

    @Test func aRecordSaysWhatItsMessageIs() throws {
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

    @Test func aPullAsksForNoMoreThanMayStillBeInFlight() throws {
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

    @Test func whatIsNeverSettledMakesRoomAfterItsDeadline() throws {
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

    @Test func whatIsNeverSettledMakesRoomSoonAfterItsDeadline() throws {
        try broker.run {
            try await publish(1...2)
            let seen = Seen()
            let deliveries = orders.deliveries(to: "g", inFlight: 1, deadline: .seconds(10)).subscribe(onNext: {
                seen.add($0.element)
            })
            // Behind the fifth of its ticks, before the sixth.
            try await broker.driver.sleep(.seconds(14))
            deliveries.dispose()
            #expect(seen.all.count == 2)
        }
    }

    @Test func anExtensionIsToldAtOnce() throws {
        try broker.run {
            let seen = Seen()
            let held = Mutex<Delivery<Int>?>(nil)
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(10)).subscribe(onNext: { delivery in
                seen.add(delivery.attempt)
                held.withLock { $0 = delivery }
            })
            try await broker.driver.sleep(.milliseconds(500))
            try await publish(1...1)
            // Just before its deadline, and long before the next tick.
            try await broker.driver.sleep(.milliseconds(9_700))
            held.withLock { $0 }?.extend()
            try await broker.driver.sleep(.seconds(5))
            deliveries.dispose()
            #expect(seen.all == [1])
        }
    }

    @Test func whatCameJustBeforeATickIsKeptForItsWholeDeadline() throws {
        try broker.run {
            let seen = Seen()
            let held = Mutex<Delivery<Int>?>(nil)
            let deliveries = orders.deliveries(to: "g", deadline: .seconds(10)).subscribe(onNext: { delivery in
                seen.add(delivery.attempt)
                held.withLock { $0 = delivery }
            })
            // Just before the first tick: a window that counts four of them forgets it at 10 s.
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

    @Test func aDeliveryThatIsExtendedStays() throws {
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

    @Test func aReplaySendsNoMoreThanItsChainTakes() throws {
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

    @Test func aReplayLeavesAStreamThatIsThereAsItIs() throws {
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

    @Test func aReplayMakesAStreamThatIsMissing() throws {
        try broker.run {
            let replayed = try await replayed()
            #expect(replayed.isEmpty)
            #expect(try await orders.summary().count == 0)
        }
    }

    /// Also with what was kept before it found that out.
    @Test func aReplayGoesOnWherePositionsBeginAnew() throws {
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

    @Test func aReplayThatHasReadNothingGoesOnAtTheEndWherePositionsBeginAnew() throws {
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

    /// All within its pause, in which it asks for nothing.
    @Test func aReplayThatIsPausedWhileItsStreamIsMadeAgainEnds() throws {
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

    @Test func aReplayReadsNothingWhileTheChainBelowIsPaused() throws {
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

    @Test func aReplayOfWhatIsThereLeavesOutWhatCameMeanwhile() throws {
        try broker.run {
            try await publish(1...3)
            let other = broker.another()
            broker.latency = .seconds(1)
            let (seen, ended) = (Seen(), Seen())
            let replay = orders.replay(from: .beginning, live: false)
                .subscribe(onNext: { seen.add($0.element) }, onCompleted: { ended.add(1) })
            // Its third call asked for the last one, and its fourth is to read.
            try await broker.driver.sleep(.milliseconds(3_500))
            _ = try await other.driver.append([NewMessage("orders", [UInt8]("4".utf8))], to: "orders")
            try await broker.driver.sleep(.seconds(10))
            replay.dispose()
            #expect(seen.all == [1, 2, 3])
            #expect(ended.all == [1])
        }
    }

    @Test func aReplayOfWhatIsThereEndsAlsoWhereAllOfItGoesMeanwhile() throws {
        try broker.run {
            try await publish(1...3)
            broker.latency = .seconds(1)
            let (seen, ended) = (Seen(), Seen())
            let replay = orders.replay(from: .beginning, live: false)
                .subscribe(onNext: { seen.add($0.element) }, onCompleted: { ended.add(1) })
            // Its third call asked for the last one, and its fourth is to read.
            try await broker.driver.sleep(.milliseconds(3_500))
            broker.crash(losing: 3, of: "orders")
            try await broker.driver.sleep(.seconds(10))
            replay.dispose()
            #expect(seen.all.isEmpty)
            #expect(ended.all == [1])
        }
    }

    /// Of the calls that it begins with each fails once.
    @Test(arguments: 0...3) func aReplayBeginsThoughTheConnectionIsLost(calls: Int) throws {
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

    @Test func aStreamThatIsRemovedIsMissing() throws {
        try broker.run {
            try await publish(1...1)
            try await orders.remove()
            await #expect(throws: BrokerError.missing("stream orders")) { try await orders.summary() }
        }
    }

    @Test func whatTheEngineForgetsIsNotReplayed() throws {
        try broker.run {
            try await publish(1...10)
            broker.crash(losing: 4, of: "orders")
            #expect(try await replayed() == Array(1...6))
        }
    }

    @Test func anEngineThatLosesNothingForgetsNothing() throws {
        try broker.run {
            try await publish(1...3)
            for count in [0, -1] { broker.crash(losing: count, of: "orders") }
            #expect(try await replayed() == [1, 2, 3])
        }
    }

    @Test func whatTheEngineForgetsIsKeptWhenItComesAgain() throws {
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

    @Test func whatTheEngineForgetsLeavesItsPositionFreeAndIsUnsettledNoMore() throws {
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

    @Test func whatIsGivenUpAtAPositionThatIsUsedAgainIsKeptToo() throws {
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

    private func replayed() async throws -> [Int] {
        var read: [Int] = []
        for try await record in orders.replay(from: .beginning, live: false).values(buffering: .pausing(8)) {
            read.append(record.element)
        }
        return read
    }

    /// A drain also ends deliveries of which some wait above a chain that is paused.
    @Test func aDrainEndsDeliveriesOnceWhatWasSentIsSettled() throws {
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

    @Test func aDrainThatIsStoppedWithinADeliverySendsNothingMore() throws {
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

    /// Also where the broker could not be reached from the beginning, and nothing has been joined.
    @Test(arguments: [false, true]) func aDrainEndsWhatHasNothingOutWhileThereIsNoBroker(hasBegun: Bool) throws {
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

    @Test func aDrainWaitsForTheLastDeliveryThatIsOut() throws {
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

    @Test func aDrainOfWorkWaitsForAHandlerBehindWhichNothingWaits() throws {
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

    /// More keys than are kept in mind: those that are idle are forgotten, and come again.
    @Test func eachOfManyKeysKeepsItsOrder() throws {
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

    /// A sweep of the table comes while a message is under way behind which none waits.
    @Test func aKeyWhoseWorkIsUnderWayIsNotForgottenForAllTheOthers() throws {
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

    @Test func aBrokerIsClosedBehindWhatIsHandedBack() throws {
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

    @Test func aBrokerIsClosedBehindTheLastOfThoseThatLeave() throws {
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
            // While the first verdict is on its way this one waits: so the last takes longer than the first.
            held.withLock { $0[1] }.ack()
            first.dispose()
            last.dispose()
            await broker.close()
            #expect(try await other.driver.summary(of: "last", in: "orders").lag == 0)
        }
    }

    @Test func aBrokerWhosePipelinesHaveEndedIsClosedAtOnce() throws {
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

    @Test func whoLeavesWhileThereIsNoBrokerDoesNotWaitForIt() throws {
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

    @Test func aSubscriptionThatIsDisposedOfHoldsNothingAfterIt() throws {
        final class Held: Sendable {}
        final class Box: @unchecked Sendable {  // one thread's alone
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
            // Longer than any of its tasks sleeps.
            try await broker.driver.sleep(.seconds(100))
            #expect(box.held == nil)
        }
    }

    /// It is waited for, but no longer than five seconds.
    @Test(arguments: [(60, 4.9..<6), (3, 1.9..<4)] as [(Int, Range<Double>)])
    func aHandlerThatGoesOnKeepsABrokerFromClosingForFiveSeconds(seconds: Int, expected: Range<Double>) throws {
        try broker.run {
            try await publish(1...1)
            let handled = Seen()
            let work = orders.work(as: "g", deadline: .seconds(1_000)) { order in
                handled.add(order)
                // Whatever is cancelled, this is not.
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

    /// Tells what a member is told, in order.
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

    /// The orders, by a driver whose members tell what they are told.
    private func orders(_ told: @escaping @Sendable (String) -> Void) -> DurableStream<Int> {
        let base = broker.driver
        let driver = OtherDriver(
            base, join: { group, stream in ToldMember(try await base.join(group, of: stream), told) })
        return OtherBroker(driver: driver).stream("orders", of: Int.self)
    }

    /// What an engine still remembers of its pulls would get what is handed back.
    @Test func whoIsDisposedOfPullsNoMoreBeforeAnythingIsHandedBack() throws {
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

    @Test func whoDrainsPullsNoMoreWhileItFinishes() throws {
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

    /// An engine may keep what it gets together with one that it refuses.
    @Test func nothingIsSentToTheEngineBehindAnElementWhoseSubjectIsNoneOfTheStreams() throws {
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

    @Test func anElementWhoseIDIsEmptyGetsOneOfItsOwn() throws {
        try broker.run {
            broker.loseReceipts(2)
            let source = Observable.from([1, 2, 3])
            for try await _ in source.publish(to: orders, id: { _ in "" }).values(buffering: .pausing(8)) {}
            let read = try await broker.driver.read("orders", from: Position(1), limit: 9, within: .seconds(0))
            #expect(read.count == 3 && Set(read.compactMap(\.message.id)).count == 3)
        }
    }

    @Test(arguments: [false, true]) func whoIsDisposedOfWhileItJoinsLeavesAllTheSame(hasDrain: Bool) throws {
        let (base, left) = (broker.driver, Seen())
        let driver = OtherDriver(
            base,
            join: { group, stream in
                // Whatever is cancelled, this is not.
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

    /// Kept half a millisecond behind the last that it had.
    @Test func aReplayLeavesOutNothingWherePositionsBeginAnewAtOnce() throws {
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

    @Test func workThatHangsIsFoundOut() {
        #expect(throws: BrokerError.self) {
            try broker.run(for: .seconds(10)) { try await broker.driver.sleep(.never) }
        }
    }
}

/// A member that never says that a deadline is to be extended.
private final class MuteMember: GroupMember {
    private let base: any GroupMember

    init(_ base: any GroupMember) { self.base = base }

    func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
        try await base.pull(upTo: count, within: span)
    }

    func settle(_ verdicts: [Verdict]) async throws {
        try await base.settle(verdicts.filter { $0.settlement != .extended })
    }

    func leave() async { await base.leave() }
}
