@testable import RxStreams
import RxSwift
import Synchronization
import Testing

struct InFlightMessagesTests {
    private final class Answers: Sendable {
        private let state = Mutex<[Bool]>([])

        var all: [Bool] { state.withLock { $0 } }

        func add(_ done: Bool) { state.withLock { $0.append(done) } }
    }

    private final class SlowMember: GroupMember {
        private let base: any GroupMember
        private let driver: any StreamDriver
        private let log: @Sendable (String) -> Void

        init(_ base: any GroupMember, _ driver: any StreamDriver, _ log: @escaping @Sendable (String) -> Void) {
            (self.base, self.driver, self.log) = (base, driver, log)
        }

        func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] {
            try await base.pull(upTo: count, within: span)
        }

        func settle(_ verdicts: [Verdict]) async throws {
            try await driver.sleep(.seconds(1))
            try await base.settle(verdicts)
            log("settled")
        }

        func leave() async {
            await base.leave()
            log("left")
        }
    }

    @Test func leaveWaitsForVerdictsInTransit() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        let log = Mutex<[String]>([])
        try broker.run(for: .seconds(60)) {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            let joined = try await driver.join(GroupSettings("g"), of: "orders")
            let member = SlowMember(joined, driver) { said in log.withLock { $0.append(said) } }
            _ = try await driver.append([NewMessage("orders", [1])], to: "orders")
            let inFlightMessages = InFlightMessages(driver, member, GroupSettings("g"), GroupMetrics([])) { _, _ in }
            inFlightMessages.begin()
            let messages = try await member.pull(upTo: 1, within: .seconds(0))
            _ = inFlightMessages.add(messages)
            inFlightMessages.settle(messages[0].token, as: .done) { _ in }
            try await driver.sleep(.milliseconds(500))
            await inFlightMessages.leave()
            #expect(log.withLock { $0 } == ["settled", "left"])
        }
    }

    @Test func deadLetterNotStoredIsRetriedAfterOneSecond() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run(for: .seconds(60)) {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            let member = try await driver.join(GroupSettings("g"), of: "orders")
            _ = try await driver.append([NewMessage("orders", [1])], to: "orders")
            let inFlightMessages = InFlightMessages(driver, member, GroupSettings("g"), GroupMetrics([])) { _, _ in
                throw BrokerError.refused("no")
            }
            inFlightMessages.begin()
            let messages = try await member.pull(upTo: 1, within: .seconds(0))
            _ = inFlightMessages.add(messages)
            let isDead = await inFlightMessages.reject(messages[0], "why")
            #expect(!isDead)
            #expect(try await member.pull(upTo: 1, within: .milliseconds(900)).isEmpty)
            #expect(try await member.pull(upTo: 1, within: .milliseconds(200)).map(\.attempt) == [2])
            await inFlightMessages.leave()
        }
    }

    @Test func deadLetterNotStoredIsReturnedByLeaveWithoutRetry() throws {
        let (broker, tries) = (VirtualBroker(HistoricalScheduler()), Answers())
        try broker.run(for: .seconds(60)) {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            let member = try await driver.join(GroupSettings("g"), of: "orders")
            _ = try await driver.append([NewMessage("orders", [1])], to: "orders")
            let inFlightMessages = InFlightMessages(driver, member, GroupSettings("g"), GroupMetrics([])) { _, _ in
                tries.add(true)
                throw BrokerError.refused("no")
            }
            inFlightMessages.begin()
            let messages = try await member.pull(upTo: 1, within: .seconds(0))
            _ = inFlightMessages.add(messages)
            #expect(inFlightMessages.claim(messages[0].token))
            let isDead = await inFlightMessages.tryToBury(messages[0], "why")
            #expect(isDead == nil)
            await inFlightMessages.leave()
            #expect(try await member.pull(upTo: 1, within: .seconds(0)).map(\.attempt) == [2])
            let isDeadLate = await inFlightMessages.tryToBury(messages[0], "why")
            #expect(isDeadLate == false)
            #expect(tries.all.count == 1)
        }
    }

    // MARK: Redelivery to the current holder

    /// A member that records verdicts, except extensions. Each `settle` takes one second.
    private final class Hearing: GroupMember {
        private let driver: any StreamDriver
        private let words = Mutex<[String]>([])

        init(_ driver: any StreamDriver) { self.driver = driver }

        var heard: [String] { words.withLock { $0 } }

        func pull(upTo count: Int, within span: RxTimeInterval) async throws -> [PulledMessage] { [] }

        func settle(_ verdicts: [Verdict]) async throws {
            let said = verdicts.filter { $0.settlement != .extended }
            words.withLock { words in
                words += said.map { verdict in
                    if case .again = verdict.settlement { return "\(verdict.token.value) again" }
                    return "\(verdict.token.value) \(verdict.settlement)"
                }
            }
            try await driver.sleep(.seconds(1))
        }

        func leave() async {}
    }

    private static func message(_ attempt: Int, at position: UInt64 = 1, time: RxTime = .distantPast) -> PulledMessage {
        PulledMessage(
            StoredMessage(Position(position), time, NewMessage("orders", [])), attempt: attempt,
            token: MessageToken("\(attempt)"))
    }

    private static func withInFlightMessages(
        _ body: @escaping @Sendable (InFlightMessages, Hearing, any StreamDriver) async throws -> Void
    ) throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run(for: .seconds(600)) {
            let member = Hearing(broker.driver)
            let inFlightMessages = InFlightMessages(broker.driver, member, GroupSettings("g"), GroupMetrics([])) {
                _, _ in
                try await broker.driver.sleep(.seconds(5))
            }
            inFlightMessages.begin()
            try await body(inFlightMessages, member, broker.driver)
            await inFlightMessages.leave()
        }
    }

    @Test func heldMessageRedeliveredIsSettledByLastToken() throws {
        try Self.withInFlightMessages { inFlightMessages, member, _ in
            #expect(inFlightMessages.add([Self.message(1)]).map(\.attempt) == [1])
            #expect(inFlightMessages.add([Self.message(2)]).isEmpty)
            #expect(inFlightMessages.add([Self.message(3), Self.message(4, at: 2)]).map(\.attempt) == [4])
            #expect(await inFlightMessages.settled(MessageToken("1"), as: .done))
            #expect(member.heard == ["3 done"])
            #expect(inFlightMessages.add([Self.message(5)]).map(\.attempt) == [5])
        }
    }

    @Test func deadLetterInTransitRedeliveredIsGivenUpByLastDelivery() throws {
        try Self.withInFlightMessages { inFlightMessages, member, driver in
            _ = inFlightMessages.add([Self.message(1)])
            async let isDead = inFlightMessages.reject(Self.message(1), "no")
            try await driver.sleep(.seconds(1))
            #expect(inFlightMessages.add([Self.message(2)]).isEmpty)
            #expect(await isDead)
            #expect(member.heard == ["2 givenUp"])
        }
    }

    @Test func messageRedeliveredWhileGivenUpIsGivenUpAgain() throws {
        try Self.withInFlightMessages { inFlightMessages, member, driver in
            _ = inFlightMessages.add([Self.message(1)])
            async let isTold = inFlightMessages.settled(MessageToken("1"), as: .givenUp)
            try await driver.sleep(.milliseconds(500))
            #expect(inFlightMessages.add([Self.message(2)]).isEmpty)
            #expect(await isTold)
            #expect(member.heard == ["1 givenUp", "2 givenUp"])
        }
    }

    @Test func retriedMessageRedeliveredAtOnceIsNewDelivery() throws {
        try Self.withInFlightMessages { inFlightMessages, member, driver in
            _ = inFlightMessages.add([Self.message(1)])
            async let isTold = inFlightMessages.settled(MessageToken("1"), as: .again(after: .nanoseconds(0)))
            try await driver.sleep(.milliseconds(500))
            #expect(inFlightMessages.add([Self.message(2)]).map(\.attempt) == [2])
            #expect(await isTold)
            #expect(await inFlightMessages.settled(MessageToken("2"), as: .done))
            #expect(member.heard == ["1 again", "2 done"])
        }
    }

    @Test func messageOfAnotherMemberRedeliveredIsNewDelivery() throws {
        try Self.withInFlightMessages { inFlightMessages, member, _ in
            _ = inFlightMessages.add([Self.message(1)])
            inFlightMessages.handOver(MessageToken("1"))
            #expect(inFlightMessages.add([Self.message(2)]).map(\.attempt) == [2])
            #expect(await inFlightMessages.settled(MessageToken("1"), as: .done))
            #expect(member.heard == ["1 done"])
        }
    }

    /// The engine gives the positions of lost messages to new ones.
    @Test func otherMessageAtPositionOfHeldOneIsNew() throws {
        try Self.withInFlightMessages { inFlightMessages, _, _ in
            _ = inFlightMessages.add([Self.message(1)])
            #expect(inFlightMessages.add([Self.message(2, time: .distantFuture)]).map(\.attempt) == [2])
        }
    }

    @Test func otherMessageStoredAtPositionAndTimeOfLostOneIsNew() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run(for: .seconds(60)) {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            let member = try await driver.join(GroupSettings("g"), of: "orders")
            let inFlightMessages = InFlightMessages(driver, member, GroupSettings("g"), GroupMetrics([])) { _, _ in }
            inFlightMessages.begin()
            var stored: [StoredMessage] = []
            for payload: UInt8 in 1...2 {
                if payload == 2 { broker.crash(losing: 1, of: "orders") }
                _ = try await driver.append([NewMessage("orders", [payload])], to: "orders")
                stored += inFlightMessages.add(try await member.pull(upTo: 1, within: .seconds(0))).map(\.stored)
            }
            #expect(stored.map(\.message.payload) == [[1], [2]])
            #expect(Set(stored.map(\.position)).count == 1 && Set(stored.map(\.time)).count == 1)
            await inFlightMessages.leave()
        }
    }

    // MARK: Returned messages

    /// Messages sorted by position. Their tokens, compared as text, have another order.
    private static let inOrder = (8...12).map { message($0, at: UInt64($0)) }

    @Test func waitingMessagesAreReturnedInStreamOrder() throws {
        try Self.withInFlightMessages { inFlightMessages, member, _ in
            _ = inFlightMessages.add(Self.inOrder)
            inFlightMessages.handBackHeld()
            _ = try await inFlightMessages.room(below: 1)
            #expect(member.heard == ["8 again", "9 again", "10 again", "11 again", "12 again"])
        }
    }

    @Test func leaveReturnsMessagesInStreamOrder() throws {
        let broker = VirtualBroker(HistoricalScheduler())
        try broker.run(for: .seconds(60)) {
            let member = Hearing(broker.driver)
            let inFlightMessages = InFlightMessages(broker.driver, member, GroupSettings("g"), GroupMetrics([])) {
                _, _ in
            }
            inFlightMessages.begin()
            _ = inFlightMessages.add(Self.inOrder)
            await inFlightMessages.leave()
            #expect(member.heard == ["8 again", "9 again", "10 again", "11 again", "12 again"])
        }
    }

    /// In virtual time one task runs at a time, so the verdict is still unsent when `leave` is called.
    @Test(arguments: [true, false]) func verdictLeftAtLeaveIsAnswered(canBeTold: Bool) throws {
        let (broker, answers) = (VirtualBroker(HistoricalScheduler()), Answers())
        try broker.run(for: .seconds(60)) {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            let member = try await driver.join(GroupSettings("g"), of: "orders")
            _ = try await driver.append([NewMessage("orders", [1])], to: "orders")
            let inFlightMessages = InFlightMessages(driver, member, GroupSettings("g"), GroupMetrics([])) { _, _ in }
            inFlightMessages.begin()
            let messages = try await member.pull(upTo: 1, within: .seconds(0))
            _ = inFlightMessages.add(messages)
            if !canBeTold { broker.disconnect(for: .seconds(5)) }
            inFlightMessages.settle(messages[0].token, as: .done) { answers.add($0) }
            await inFlightMessages.leave()
            #expect(answers.all == [canBeTold])
        }
    }

    @Test func verdictOnSettledOrLeftMessageIsAnsweredFalse() throws {
        let (broker, answers, buried) = (VirtualBroker(HistoricalScheduler()), Answers(), Answers())
        try broker.run(for: .seconds(60)) {
            let driver = broker.driver
            try await driver.ensure(StreamSettings("orders"))
            let member = try await driver.join(GroupSettings("g"), of: "orders")
            _ = try await driver.append([NewMessage("orders", [1]), NewMessage("orders", [2])], to: "orders")
            let inFlightMessages = InFlightMessages(driver, member, GroupSettings("g"), GroupMetrics([])) { _, _ in
                buried.add(true)
            }
            inFlightMessages.begin()
            let messages = try await member.pull(upTo: 2, within: .seconds(0))
            _ = inFlightMessages.add(messages)
            for _ in 1...2 { inFlightMessages.settle(messages[0].token, as: .done) { answers.add($0) } }
            #expect(answers.all == [false])
            let isRejected = await inFlightMessages.reject(messages[0], "no")
            #expect(!isRejected)
            await inFlightMessages.leave()
            #expect(answers.all == [false, true])
            let isSettledLate = await inFlightMessages.settled(messages[1].token, as: .done)
            let isRejectedLate = await inFlightMessages.reject(messages[1], "no")
            #expect(!isSettledLate && !isRejectedLate)
            #expect(buried.all.isEmpty)
        }
    }
}
