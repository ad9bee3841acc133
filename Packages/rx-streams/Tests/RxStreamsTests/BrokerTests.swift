import RxStreams
import RxSwift
import ServiceLifecycle
import ServiceLifecycleTestKit
import Synchronization
import Testing

struct BrokerTests {
    @Test func brokerServiceClosesAtGroupShutdown() async throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try await testGracefulShutdown { trigger in
            async let run: Void = broker.run()
            trigger.triggerGracefulShutdown()
            try await run
        }
        await #expect(throws: BrokerError.closed) { try await broker.driver.summary(of: "orders") }
    }

    @Test func brokerServiceClosesWhenTaskIsCancelled() async throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let run = Task { try await broker.run() }
        run.cancel()
        try await run.value
        await #expect(throws: BrokerError.closed) { try await broker.driver.summary(of: "orders") }
    }

    @Test func statusSendsCurrentAndLaterValues() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let statuses = Statuses()
        try broker.run {
            let subscription = broker.status.subscribe(
                onNext: { statuses.add($0) }, onCompleted: { statuses.complete() })
            broker.disconnect(for: .seconds(1))
            try await broker.driver.sleep(.seconds(2))
            await broker.close()
            subscription.dispose()
        }
        #expect(
            statuses.all == [
                .connected(server: "virtual"), .connecting(attempt: 1, why: "disconnected by the test"),
                .connected(server: "virtual"), .closed,
            ])
        #expect(statuses.isCompleted)
    }

    @Test func statusIsConnectedAfterLastDisconnection() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let statuses = Statuses()
        try broker.run {
            let subscription = broker.status.subscribe(onNext: { statuses.add($0) })
            broker.disconnect(for: .seconds(3))
            broker.disconnect(for: .seconds(1))
            try await broker.driver.sleep(.seconds(2))
            let lost = BrokerStatus.connecting(attempt: 1, why: "disconnected by the test")
            #expect(statuses.all == [.connected(server: "virtual"), lost, lost])
            try await broker.driver.sleep(.seconds(2))
            #expect(Array(statuses.all.dropFirst(3)) == [.connected(server: "virtual")])
            subscription.dispose()
        }
    }

    @Test func disconnectedListenerMissesMessages() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let heard = Mutex<[Int]>([])
        try broker.run {
            let prices = broker.another().subject("prices", of: Int.self)
            let subscription = broker.subject("prices", of: Int.self).asObservable()
                .subscribe(onNext: { price in heard.withLock { $0.append(price) } })
            try await prices.send(1)
            broker.disconnect(for: .seconds(5))
            try await prices.send(2)
            try await broker.driver.sleep(.seconds(6))
            try await prices.send(3)
            subscription.dispose()
        }
        #expect(heard.withLock { $0 } == [1, 3])
    }

    @Test func sentMessagesQueueUntilLimit() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let subject = broker.subject("prices", of: Int.self)
            var prices = subject.asObservable().values(buffering: .pausing(1)).makeAsyncIterator()
            let sending = Task(executorPreference: broker.driver.executor) {
                for price in 0...liveBound + 8 { try await subject.send(price) }
            }
            // The iterator and its buffer hold one message each. The listener's queue drops its oldest messages.
            var seen: [Int?] = []
            for _ in 0..<liveBound + 2 { seen.append(try await prices.next()) }
            #expect(seen == [0, 1] + (9...liveBound + 8).map { $0 })
            try await sending.value
        }
    }

    /// An unbounded listener has no queue.
    @Test func unboundedListenerReceivesNestedMessagesAtOnce() {
        let source = PublishSubject<NewMessage>()
        let heard = Mutex<[String]>([])
        let subscription = source.waitingForRoom().subscribe(onNext: { message in
            if message.subject == "outer" { source.onNext(NewMessage("inner", [])) }
            heard.withLock { $0.append(message.subject) }
        })
        source.onNext(NewMessage("outer", []))
        subscription.dispose()
        #expect(heard.withLock { $0 } == ["inner", "outer"])
    }

    @Test func undecodableValuesAreOmittedFromRelay() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let seen = Mutex<[Int]>([])
        let errors = Mutex(0)
        try broker.run {
            _ = try await broker.driver.store([UInt8]("no number".utf8), in: "count", expecting: nil)
            let relay = broker.relay("count", of: Int.self)
            let subscription = relay.asObservable().subscribe(
                onNext: { count in seen.withLock { $0.append(count) } }, onError: { _ in errors.withLock { $0 += 1 } })
            try await broker.driver.sleep(.seconds(1))
            try await relay.accept(2)
            try await broker.driver.sleep(.seconds(1))
            subscription.dispose()
        }
        #expect(seen.withLock { $0 } == [2])
        #expect(errors.withLock { $0 } == 0)
    }

    @Test func undecodableMessagesAreOmittedFromSubject() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let heard = Mutex<[Int]>([])
        try broker.run {
            let subscription = broker.subject("prices", of: Int.self).asObservable()
                .subscribe(onNext: { price in heard.withLock { $0.append(price) } })
            try await broker.driver.send(NewMessage("prices", [UInt8]("no number".utf8)))
            try await broker.driver.send(NewMessage("prices", [UInt8]("2".utf8)))
            subscription.dispose()
        }
        #expect(heard.withLock { $0 } == [2])
    }

    @Test func relayUpdateReceivesCurrentValue() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let relay = broker.relay("count", of: Int.self)
            for count in 1...3 {
                let now = try await relay.update { ($0 ?? 0) + 1 }
                let held = try await relay.value
                #expect(now == count && held == count)
            }
        }
    }

    @Test func cancelledRelayUpdateIsNotRetried() throws {
        struct Enough: Error {}
        let broker = VirtualBroker(HistoricalScheduler())
        let driver = OtherDriver(broker.driver, store: { _, _, _ in throw BrokerError.conflict })
        let tries = FaultTests.Seen()
        try broker.run {
            let change = Task(executorPreference: driver.executor) {
                let relay = OtherBroker(driver: driver).relay("count", of: Int.self)
                return try await relay.update { _ in
                    let count = tries.all.count + 1
                    tries.add(count)
                    if count == 3 { withUnsafeCurrentTask { $0?.cancel() } }
                    if count == 10 { throw Enough() }
                    return count
                }
            }
            await #expect(throws: CancellationError.self) { try await change.value }
        }
        #expect(tries.all == [1, 2, 3])
    }

    @Test func relayWithInvalidNameIsRefused() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let relay = broker.relay("a b", of: Int.self)
            await #expect(throws: BrokerError.self) { try await relay.accept(1) }
            await #expect(throws: BrokerError.self) { try await relay.update { _ in 1 } }
            await #expect(throws: BrokerError.self) { try await relay.value }
            await #expect(throws: BrokerError.self) {
                for try await _ in relay.asObservable().values(buffering: .pausing(1)) {}
            }
        }
    }

    @Test func listenersCompleteAtAndAfterClose() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let ended = Mutex<[String]>([])
        try broker.run {
            func listen(_ name: String) {
                _ = broker.subject("prices", of: Int.self).asObservable()
                    .subscribe(onCompleted: { ended.withLock { $0.append("subject \(name)") } })
                _ = broker.relay("count", of: Int.self).asObservable()
                    .subscribe(onCompleted: { ended.withLock { $0.append("relay \(name)") } })
            }
            listen("before")
            try await broker.driver.sleep(.seconds(1))
            await broker.close()
            listen("behind")
            try await broker.driver.sleep(.seconds(1))
        }
        #expect(
            ended.withLock { $0.sorted() } == ["relay before", "relay behind", "subject before", "subject behind"])
    }

    @Test func disconnectedRelayObserverReceivesValueAfterwards() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let seen = Mutex<[Int]>([])
        try broker.run {
            let relay = broker.another().relay("count", of: Int.self)
            let subscription = broker.relay("count", of: Int.self).asObservable()
                .subscribe(onNext: { count in seen.withLock { $0.append(count) } })
            try await relay.accept(1)
            try await broker.driver.sleep(.seconds(1))
            broker.disconnect(for: .seconds(5))
            for count in 2...3 {
                try await relay.accept(count)
                try await broker.driver.sleep(.seconds(1))
            }
            #expect(seen.withLock { $0 } == [1])
            try await broker.driver.sleep(.seconds(5))
            subscription.dispose()
        }
        #expect(seen.withLock { $0 } == [1, 3])
    }

    @Test func waitingReadEndsWithConnection() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            func read() -> Task<[StoredMessage], any Error> {
                Task(executorPreference: driver.executor) {
                    try await driver.read("orders", from: Position(1), limit: 1, within: .seconds(1_000))
                }
            }
            let begun = driver.scheduler.now
            let cut = read()
            try await driver.sleep(.seconds(1))
            broker.disconnect(for: .seconds(10))
            await #expect(throws: BrokerError.unavailable("disconnected by the test")) { try await cut.value }
            try await driver.sleep(.seconds(10))
            let closed = read()
            try await driver.sleep(.seconds(1))
            await broker.close()
            await #expect(throws: BrokerError.closed) { try await closed.value }
            #expect(driver.scheduler.now.timeIntervalSince(begun) < 20)
        }
    }

    @Test func appendInTransitAtDisconnectionIsNotStored() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            broker.latency = .seconds(1)
            let append = Task(executorPreference: driver.executor) {
                try await driver.append([NewMessage("orders", [1])], to: "orders")
            }
            try await driver.sleep(.milliseconds(500))
            broker.disconnect(for: .seconds(10))
            await #expect(throws: BrokerError.unavailable("disconnected by the test")) { try await append.value }
            #expect(try await broker.another().driver.summary(of: "orders").count == 0)
        }
    }

    @Test func runEndsWithItsWork() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let begun = broker.driver.scheduler.now
        try broker.run { try await broker.driver.sleep(.seconds(1)) }
        #expect(broker.driver.scheduler.now.timeIntervalSince(begun) < 2)
    }

    @Test func limitOfRunDoesNotApplyToNext() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run(for: .seconds(10)) {}
        try broker.run(for: .seconds(60)) { try await broker.driver.sleep(.seconds(20)) }
    }

    @Test func hungWorkDoesNotEndNextRun() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        #expect(throws: BrokerError.self) {
            try broker.run(for: .seconds(10)) { try await broker.driver.sleep(.seconds(60)) }
        }
        let number = try broker.run {
            try await broker.driver.sleep(.seconds(60))
            return 1
        }
        #expect(number == 1)
    }

    @Test func hangingWorkIsCancelled() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let cancelled = Statuses()
        #expect(throws: BrokerError.unavailable("the work has not ended within its time limit: it hangs")) {
            try broker.run(for: .seconds(10)) {
                try await withTaskCancellationHandler {
                    try await broker.driver.sleep(.seconds(60))
                } onCancel: {
                    cancelled.complete()
                }
            }
        }
        #expect(cancelled.isCompleted)
    }

    /// Both updates read the empty relay before either stores a value.
    @Test func concurrentUpdatesOfEmptyRelayLoseNothing() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        broker.latency = .milliseconds(10)
        let value = try broker.run {
            let relay = broker.relay("numbers", of: [Int].self)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...2 { group.addTask { try await relay.update { ($0 ?? []) + [number] } } }
                try await group.waitForAll()
            }
            return try await relay.value
        }
        #expect(value.map(Set.init) == [1, 2])
    }

    @Test func virtualReadWithoutWaitTakesNoTime() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            let begun = driver.scheduler.now
            #expect(try await driver.read("orders", from: Position(1), limit: 1, within: .seconds(0)).isEmpty)
            #expect(driver.scheduler.now == begun)
        }
    }

    @Test func virtualRetentionByBytesKeepsLastMessages() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders", keeping: Retention(bytes: 10)))
            func append(_ sizes: Int...) async throws {
                let messages = sizes.map { NewMessage("orders", [UInt8](repeating: 0, count: $0)) }
                _ = try await driver.append(messages, to: "orders")
            }
            try await append(4, 4, 2)
            #expect(try await driver.summary(of: "orders").count == 3)
            try await append(1)
            let summary = StreamSummary(first: Position(2), last: Position(4), count: 3)
            #expect(try await driver.summary(of: "orders") == summary)
        }
    }

    @Test func virtualMessageLargerThanStreamIsRefused() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders", keeping: Retention(bytes: 4)))
            _ = try await driver.append([NewMessage("orders", [1, 2, 3, 4])], to: "orders")
            await #expect(throws: BrokerError.refused("stream orders retains at most 4 bytes, and a message has 5")) {
                try await driver.append([NewMessage("orders", [1, 2, 3, 4, 5])], to: "orders")
            }
            #expect(try await driver.summary(of: "orders").count == 1)
        }
    }

    @Test func virtualReadAndPullOfLessThanOneMessageAreRefused() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            let member = try await driver.join(GroupSettings("g"), of: "orders")
            for count in -1...0 {
                await #expect(throws: BrokerError.refused("\(count) messages cannot be read")) {
                    try await driver.read("orders", from: Position(1), limit: count, within: .seconds(0))
                }
                await #expect(throws: BrokerError.refused("\(count) messages cannot be pulled")) {
                    try await member.pull(upTo: count, within: .seconds(0))
                }
            }
        }
    }

    @Test func virtualRemovedMessageIsNotUnsettled() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders", keeping: .last(2)))
            let member = try await driver.join(GroupSettings("g", deadline: .seconds(1)), of: "orders")
            _ = try await driver.append([NewMessage("orders", [1]), NewMessage("orders", [2])], to: "orders")
            #expect(try await member.pull(upTo: 5, within: .seconds(0)).map(\.stored.position.number) == [1, 2])
            _ = try await driver.append([NewMessage("orders", [3])], to: "orders")
            try await driver.sleep(.seconds(2))
            #expect(try await member.pull(upTo: 5, within: .seconds(0)).map(\.stored.position.number) == [2, 3])
            let summary = try await driver.summary(of: "g", in: "orders")
            #expect(summary == GroupSummary(waiting: 0, unsettled: 2))
        }
    }

    @Test func virtualPullOfRedeliveriesTakesNoMoreThanRequested() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            _ = try await driver.append((1...3).map { NewMessage("orders", [$0]) }, to: "orders")
            let member = try await driver.join(GroupSettings("g", deadline: .seconds(1)), of: "orders")
            #expect(try await member.pull(upTo: 3, within: .seconds(0)).count == 3)
            try await driver.sleep(.seconds(2))
            #expect(try await member.pull(upTo: 2, within: .seconds(0)).map(\.stored.position.number) == [1, 2])
            #expect(try await member.pull(upTo: 2, within: .seconds(0)).map(\.stored.position.number) == [3])
        }
    }

    @Test func virtualInvalidGroupIsRefused() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            for group in [GroupSettings("a b"), GroupSettings("g", deadline: .seconds(0))] {
                await #expect(throws: BrokerError.self) { try await driver.join(group, of: "orders") }
            }
        }
    }

    @Test func virtualCallsTakeLatency() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            let (stream, group) = (StreamSettings("orders"), GroupSettings("g"))
            try await driver.ensure(stream)
            let member = try await driver.join(group, of: "orders")
            broker.latency = .seconds(1)
            func expectASecond(_ name: String, _ call: () async throws -> Void) async throws {
                let begun = driver.scheduler.now
                try await call()
                #expect(Int(driver.scheduler.now.timeIntervalSince(begun).rounded()) == 1, "\(name)")
            }
            try await expectASecond("ensure") { try await driver.ensure(stream) }
            try await expectASecond("append") {
                _ = try await driver.append([NewMessage("orders", [1])], to: "orders")
            }
            try await expectASecond("join") { _ = try await driver.join(group, of: "orders") }
            try await expectASecond("read") {
                _ = try await driver.read("orders", from: Position(1), limit: 1, within: .seconds(0))
            }
            try await expectASecond("locate") { _ = try await driver.locate(.beginning, in: "orders") }
            try await expectASecond("summary") { _ = try await driver.summary(of: "orders") }
            try await expectASecond("summary of a group") { _ = try await driver.summary(of: "g", in: "orders") }
            try await expectASecond("pull") { _ = try await member.pull(upTo: 1, within: .seconds(0)) }
            try await expectASecond("settle") { try await member.settle([]) }
            try await expectASecond("send") { try await driver.send(NewMessage("prices", [])) }
            try await expectASecond("store") { _ = try await driver.store([1], in: "count", expecting: nil) }
            try await expectASecond("load") { _ = try await driver.load("count") }
            try await expectASecond("remove of a group") { try await driver.remove(group: "g", of: "orders") }
            try await expectASecond("remove") { try await driver.remove(stream: "orders") }
        }
    }

    @Test func virtualIDIsForgottenAfterWindow() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders", duplicateWindow: .seconds(10)))
            let message = NewMessage("orders", [1], id: "x")
            _ = try await driver.append([message], to: "orders")
            try await driver.sleep(.seconds(9))
            #expect(try await driver.append([message], to: "orders") == [Receipt(Position(1), isDuplicate: true)])
            try await driver.sleep(.seconds(1))
            #expect(try await driver.append([message], to: "orders") == [Receipt(Position(2))])
        }
    }

    @Test func virtualMessageOfMaximalAgeIsKept() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders", keeping: .age(.seconds(10))))
            _ = try await driver.append([NewMessage("orders", [1])], to: "orders")
            try await driver.sleep(.seconds(10))
            #expect(try await driver.summary(of: "orders").count == 1)
            try await driver.sleep(.milliseconds(1))
            #expect(try await driver.summary(of: "orders").count == 0)
        }
    }

    @Test func virtualGroupCountsOnlyItsSubjects() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders", subjects: ["orders.*"]))
            let messages = ["orders.new", "orders.old", "orders.new"].map { NewMessage($0, []) }
            _ = try await driver.append(messages, to: "orders")
            _ = try await driver.join(GroupSettings("g", filter: "orders.new"), of: "orders")
            #expect(try await driver.summary(of: "g", in: "orders") == GroupSummary(waiting: 2, unsettled: 0))
        }
    }

    @Test func virtualAppendToPatternIsRefused() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders", subjects: ["orders.>"]))
            for subject in ["orders.*", "orders.>"] {
                await #expect(throws: BrokerError.self) {
                    try await driver.append([NewMessage(subject, [])], to: "orders")
                }
            }
            #expect(try await driver.summary(of: "orders").last == Position(0))
        }
    }

    @Test func virtualFormerHolderDoesNotExtendMessageOfCurrentHolder() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            _ = try await driver.append([NewMessage("orders", [])], to: "orders")
            let member = try await driver.join(GroupSettings("g", deadline: .seconds(10)), of: "orders")
            let stale = try await member.pull(upTo: 1, within: .seconds(1))
            #expect(try await member.pull(upTo: 1, within: .seconds(60)).map(\.attempt) == [2])
            try await driver.sleep(.seconds(9))
            try await member.settle(stale.map { Verdict($0.token, .extended) })
            #expect(try await member.pull(upTo: 1, within: .seconds(2)).map(\.attempt) == [3])
        }
    }

    @Test func virtualCloseReturnsOnlyItsMessagesAtOnce() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            _ = try await driver.append((1...4).map { NewMessage("orders", [$0]) }, to: "orders")
            let group = GroupSettings("g", deadline: .seconds(1_000))
            let member = try await driver.join(group, of: "orders")
            let other = try await broker.another().driver.join(group, of: "orders")
            let pulled = try await member.pull(upTo: 3, within: .seconds(0))
            try await member.settle([Verdict(pulled[1].token, .again(after: .seconds(500)))])
            #expect(try await other.pull(upTo: 3, within: .seconds(0)).map(\.stored.position.number) == [4])
            let next = Task(executorPreference: driver.executor) {
                try await other.pull(upTo: 3, within: .seconds(100))
            }
            try await driver.sleep(.seconds(1))
            await broker.close()
            #expect(try await next.value.map(\.stored.position.number) == [1, 3])
        }
    }

    @Test func virtualCloseWhileDisconnectedReturnsNothing() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let (driver, other) = (broker.driver, broker.another().driver)
            try await driver.ensure(StreamSettings("orders"))
            _ = try await driver.append([NewMessage("orders", [1])], to: "orders")
            let group = GroupSettings("g", deadline: .seconds(1_000))
            #expect(try await driver.join(group, of: "orders").pull(upTo: 1, within: .seconds(0)).count == 1)
            broker.disconnect(for: .seconds(10))
            await broker.close()
            let member = try await other.join(group, of: "orders")
            #expect(try await member.pull(upTo: 1, within: .seconds(900)).isEmpty)
            #expect(try await member.pull(upTo: 1, within: .seconds(200)).map(\.attempt) == [2])
        }
    }

    @Test func virtualReplayFromTimeStartsAtItsMessage() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            for number: UInt8 in 1...2 {
                _ = try await driver.append([NewMessage("orders", [number])], to: "orders")
                try await driver.sleep(.seconds(1))
            }
            let read = try await driver.read("orders", from: Position(1), limit: 2, within: .seconds(0))
            for message in read {
                #expect(try await driver.locate(.time(message.time), in: "orders") == message.position)
            }
        }
    }

    @Test func publishingToPatternStreamUsesSubjectWithoutWildcards() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let orders = broker.stream("orders", of: Int.self, subjects: ["orders.*.>"])
            for try await _ in Observable.just(1).publish(to: orders).values(buffering: .pausing(1)) {}
            let read = try await broker.driver.read("orders", from: Position(1), limit: 2, within: .seconds(0))
            #expect(read.map(\.message.subject) == ["orders.all.all"])
        }
    }

    @Test func elementIsPublishedToItsOwnSubject() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run {
            let orders = broker.stream("orders", of: Int.self, subjects: ["orders.*"])
            let source = Observable.of(1, 2)
            for try await _ in source.publish(to: orders, subject: { "orders.\($0)" }).values(buffering: .pausing(1)) {}
            let read = try await broker.driver.read("orders", from: Position(1), limit: 3, within: .seconds(0))
            #expect(read.map(\.message.subject) == ["orders.1", "orders.2"])
        }
    }

    /// The page about migrating from SQLite to NATS shows this code.
    @Test func copiedStreamKeepsPayloadsIDsAndSubjects() throws {
        let scheduler = HistoricalScheduler()
        let (here, there) = (VirtualBroker(scheduler), VirtualBroker(scheduler))
        try here.run {
            let messages = [
                NewMessage("orders.p1", [0, 255], id: "x"), NewMessage("orders.p2", [], id: "y"),
                NewMessage("orders.p1", [UInt8]("7".utf8)),
            ]
            let settings = StreamSettings("orders", subjects: ["orders.>"])
            try await here.driver.ensure(settings)
            _ = try await here.driver.append(messages, to: "orders")
            let old = here.stream("orders", of: [UInt8].self, codec: .bytes)
            let new = there.stream(
                "orders", of: Record<[UInt8]>.self,
                codec: Codec(encode: { $0.element }, decode: { _ in throw BrokerError.refused("it is only written") }),
                subjects: ["orders.>"])
            let copy = old.replay(from: .beginning, live: false)
                .publish(to: new, id: { $0.id ?? "\($0.position)" }, subject: \.subject)
            for try await _ in copy.values(buffering: .pausing(8)) {}
            let read = try await there.driver.read("orders", from: Position(1), limit: 9, within: .seconds(0))
            var copied = messages
            copied[2].id = "3"
            #expect(read.map(\.message) == copied)
        }
    }

    @Test func workWithStartAndSubjectHandlesMatchingElements() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let handled = Mutex<[Int]>([])
        try broker.run {
            let orders = broker.stream("orders", of: Int.self, subjects: ["orders.*"])
            let source = Observable.of(1, 2, 3, 4)
            for try await _ in source.publish(to: orders, subject: { "orders.\($0 % 2)" })
                .values(buffering: .pausing(1))
            {}
            let work = orders.work(as: "g", from: .position(Position(2)), subject: "orders.1") { order in
                handled.withLock { $0.append(order) }
            }.subscribe()
            try await broker.driver.sleep(.seconds(1))
            work.dispose()
        }
        #expect(handled.withLock { $0 } == [3])
    }

    /// Used by the scheduler's thread only.
    final class Statuses: @unchecked Sendable {
        var all: [BrokerStatus] = []
        var isCompleted = false
        func add(_ status: BrokerStatus) { all.append(status) }
        func complete() { isCompleted = true }
    }
}
