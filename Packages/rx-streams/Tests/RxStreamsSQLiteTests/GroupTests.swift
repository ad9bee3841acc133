import Foundation
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsSQLite

@Suite(.serialized)
struct GroupTests {
    private func begun(
        _ texts: [String] = ["a", "b", "c"], deadline: RxTimeInterval = .seconds(30), maxUnsettled: Int = 100
    ) async throws -> (Bench, any GroupMember) {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders"))
        try await bench.driver.append(texts)
        let group = GroupSettings("billing", deadline: deadline, maxUnsettled: maxUnsettled)
        return (bench, try await bench.driver.join(group, of: "orders"))
    }

    @Test func pullTakesInOrderAndNothingTwice() async throws {
        let (bench, member) = try await begun()
        #expect(try await member.take(2).map(\.shown) == ["1:1", "2:1"])
        #expect(try await member.take(2).map(\.shown) == ["3:1"])
        #expect(try await member.take(2).isEmpty)
        withExtendedLifetime(bench) {}
    }

    @Test func membersShareTheirGroupAndGroupsAreIndependent() async throws {
        let (bench, one) = try await begun()
        let two = try await bench.other().join(GroupSettings("billing"), of: "orders")
        let search = try await bench.driver.join(GroupSettings("search"), of: "orders")
        #expect(try await one.take(2).map(\.text) == ["a", "b"])
        #expect(try await two.take(2).map(\.text) == ["c"])
        #expect(try await search.take().map(\.text) == ["a", "b", "c"])
    }

    @Test func doneMessageIsNotRedeliveredAfterRestart() async throws {
        let (bench, member) = try await begun()
        let pulled = try await member.take()
        try await member.settle([Verdict(pulled[0].token, .done), Verdict(pulled[2].token, .givenUp)])
        await bench.driver.close()
        let again = try await bench.other().join(GroupSettings("billing", start: .end), of: "orders")
        #expect(try await again.take().map(\.shown) == ["2:2"])
    }

    @Test func unsettledMessageIsRedeliveredAfterDeadline() async throws {
        let (bench, member) = try await begun(deadline: .seconds(10))
        _ = try await member.take(2)
        bench.clock.advance(9.9)
        #expect(try await member.take().map(\.shown) == ["3:1"])
        bench.clock.advance(0.2)
        #expect(try await member.take().map(\.shown) == ["1:2", "2:2"])
    }

    @Test func extendedDeadlineRestarts() async throws {
        let (bench, member) = try await begun(["a"], deadline: .seconds(10))
        let pulled = try await member.take()
        bench.clock.advance(9)
        try await member.settle(pulled, .extended)
        bench.clock.advance(9)
        #expect(try await member.take().isEmpty)
        bench.clock.advance(2)
        #expect(try await member.take().map(\.shown) == ["1:2"])
    }

    @Test func retriedMessageComesBeforeNewOnesAndNotBeforeItsDelay() async throws {
        let (bench, member) = try await begun()
        let pulled = try await member.take(2)
        try await member.settle([
            Verdict(pulled[0].token, .again(after: .seconds(5))),
            Verdict(pulled[1].token, .again(after: .nanoseconds(0))),
        ])
        #expect(try await member.take(1).map(\.shown) == ["2:2"])
        bench.clock.advance(6)
        #expect(try await member.take().map(\.shown) == ["1:2", "3:1"])
    }

    @Test func maximumOfUnsettledHoldsNewMessagesNotRedeliveries() async throws {
        let (bench, member) = try await begun(["a", "b", "c", "d"], maxUnsettled: 2)
        let pulled = try await member.take()
        #expect(pulled.map(\.shown) == ["1:1", "2:1"])
        try await member.settle([pulled[1]], .again(after: .nanoseconds(0)))
        #expect(try await member.take().map(\.shown) == ["2:2"])
        #expect(
            try await bench.driver.summary(of: "billing", in: "orders") == GroupSummary(waiting: 2, unsettled: 2))
        try await member.settle([pulled[0]], .done)
        #expect(try await member.take().map(\.shown) == ["3:1"])
    }

    @Test func pullOfRedeliveriesTakesNoMoreThanRequested() async throws {
        let (bench, member) = try await begun(deadline: .seconds(10))
        _ = try await member.take()
        bench.clock.advance(11)
        #expect(try await member.take(1).map(\.shown) == ["1:2"])
        #expect(try await member.take(1).map(\.shown) == ["2:2"])
    }

    @Test func redeliveriesPrecedeNewMessagesAfterRemovedOnes() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .last(3)))
        let member = try await bench.driver.join(GroupSettings("billing", deadline: .seconds(10)), of: "orders")
        try await bench.driver.append(["a", "b", "c"])
        #expect(try await member.take().map(\.shown) == ["1:1", "2:1", "3:1"])
        try await bench.driver.append(["d", "e"])
        bench.clock.advance(11)
        #expect(try await member.take(2).map(\.shown) == ["3:2", "4:1"])
    }

    @Test func redeliveredMessageIsReturnedAgain() async throws {
        let (bench, member) = try await begun(["a"])
        for attempt in 1...3 {
            let pulled = try await member.take()
            #expect(pulled.map(\.shown) == ["1:\(attempt)"])
            try await member.settle(pulled, .again(after: .nanoseconds(0)))
        }
        withExtendedLifetime(bench) {}
    }

    @Test func filterPassesItsSubjects() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["orders.*"]))
        for number in 0..<10 {
            try await bench.driver.append(["\(number)"], subject: number % 3 == 0 ? "orders.new" : "orders.old")
        }
        let member = try await bench.driver.join(GroupSettings("billing", filter: "orders.new"), of: "orders")
        #expect(try await bench.driver.summary(of: "billing", in: "orders").waiting == 4)
        #expect(try await member.take(2).map(\.text) == ["0", "3"])
        #expect(try await member.take(9).map(\.text) == ["6", "9"])
        #expect(try await bench.driver.summary(of: "billing", in: "orders").waiting == 0)
    }

    @Test func filterSkippingTwentyThousandFindsTheLast() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["orders.*"]))
        try await bench.driver.append((0..<25_000).map { "\($0)" }, subject: "orders.old")
        try await bench.driver.append(["x"], subject: "orders.new")
        let member = try await bench.driver.join(GroupSettings("billing", filter: "orders.new"), of: "orders")
        #expect(try await member.pull(upTo: 5, within: .seconds(60)).map(\.text) == ["x"])
    }

    @Test func messageHeldByAnotherMemberAcceptsOnlyDone() async throws {
        let (bench, one) = try await begun(["a", "b", "c"], deadline: .seconds(1))
        let stale = try await one.take()
        bench.clock.advance(2)
        let two = try await bench.driver.join(GroupSettings("billing", deadline: .seconds(10)), of: "orders")
        #expect(try await two.take().map(\.shown) == ["1:2", "2:2", "3:2"])
        try await one.settle([
            Verdict(stale[0].token, .done), Verdict(stale[1].token, .again(after: .nanoseconds(0))),
            Verdict(stale[2].token, .givenUp),
        ])
        #expect(try await one.take().isEmpty)
        #expect(try await bench.driver.summary(of: "billing", in: "orders").unsettled == 2)
    }

    @Test func formerHolderDoesNotExtendMessageOfCurrentHolder() async throws {
        let (bench, one) = try await begun(["a"], deadline: .seconds(5))
        let stale = try await one.take()
        bench.clock.advance(6)
        let two = try await bench.driver.join(GroupSettings("billing", deadline: .seconds(10)), of: "orders")
        #expect(try await two.take().map(\.shown) == ["1:2"])
        bench.clock.advance(9)
        try await one.settle(stale, .extended)
        bench.clock.advance(2)
        #expect(try await two.take().map(\.shown) == ["1:3"])
    }

    @Test func earlierDeliveryToSameMemberAcceptsOnlyDone() async throws {
        let (bench, member) = try await begun(["a", "b"], deadline: .seconds(1))
        let stale = try await member.take()
        bench.clock.advance(2)
        #expect(try await member.take().map(\.shown) == ["1:2", "2:2"])
        try await member.settle([
            Verdict(stale[0].token, .again(after: .nanoseconds(0))), Verdict(stale[1].token, .givenUp),
        ])
        #expect(try await member.take().isEmpty)
        #expect(try await bench.driver.summary(of: "billing", in: "orders").unsettled == 2)
    }

    @Test func lateVerdictOnExistingMessageIsAccepted() async throws {
        let (bench, member) = try await begun(["a"], deadline: .seconds(1))
        let pulled = try await member.take()
        bench.clock.advance(2)
        try await member.settle(pulled, .done)
        #expect(try await member.take().isEmpty)
    }

    @Test func leaveReturnsMessagesAtOnce() async throws {
        let (bench, one) = try await begun()
        _ = try await one.take(2)
        let two = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        await one.leave()
        #expect(try await two.take().map(\.shown) == ["1:2", "2:2", "3:1"])
        await #expect(throws: BrokerError.self) { try await one.take() }
    }

    @Test func leaveKeepsRetryDelays() async throws {
        let (bench, one) = try await begun(["a"])
        let two = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        let pulled = try await one.take()
        try await one.settle(pulled, .again(after: .seconds(5)))
        await one.leave()
        #expect(try await two.take().isEmpty)
        bench.clock.advance(6)
        #expect(try await two.take().map(\.shown) == ["1:2"])
    }

    @Test func closeReturnsMessagesAtOnce() async throws {
        let (bench, one) = try await begun()
        _ = try await one.take(2)
        await bench.driver.close()
        let two = try await bench.other().join(GroupSettings("billing"), of: "orders")
        #expect(try await two.take().map(\.shown) == ["1:2", "2:2", "3:1"])
    }

    @Test func closeReturnsMessagesThoughOneGroupIsGone() async throws {
        let (bench, one) = try await begun()
        _ = try await one.take(2)
        let gone = try await bench.driver.join(GroupSettings("gone"), of: "orders")
        _ = try await gone.take()
        try await bench.driver.remove(group: "gone", of: "orders")
        await bench.driver.close()
        let two = try await bench.other().join(GroupSettings("billing"), of: "orders")
        #expect(try await two.take().map(\.shown) == ["1:2", "2:2", "3:1"])
    }

    @Test func removedMessageIsNotRedelivered() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .last(2)))
        let member = try await bench.driver.join(GroupSettings("billing", deadline: .seconds(1)), of: "orders")
        try await bench.driver.append(["a", "b"])
        _ = try await member.take()
        try await bench.driver.append(["c"])
        bench.clock.advance(2)
        #expect(try await bench.driver.summary(of: "billing", in: "orders") == GroupSummary(waiting: 1, unsettled: 1))
        #expect(try await member.take().map(\.shown) == ["2:2", "3:1"])
        #expect(try await bench.driver.summary(of: "billing", in: "orders") == GroupSummary(waiting: 0, unsettled: 2))
    }

    @Test func expiredMessagesDoNotBlockPull() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .age(.seconds(1))))
        let member = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        try await bench.driver.append(["a", "b"])
        bench.clock.advance(2)
        #expect(try await member.take().isEmpty)
        try await bench.driver.append(["c"])
        #expect(try await member.take().map(\.text) == ["c"])
    }

    @Test func messageExpiredWhileHeldIsNotRedelivered() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .age(.seconds(10))))
        let member = try await bench.driver.join(GroupSettings("billing", deadline: .seconds(5)), of: "orders")
        try await bench.driver.append(["a"])
        #expect(try await member.take().map(\.shown) == ["1:1"])
        // Only an append removes expired messages.
        bench.clock.advance(11)
        #expect(try await member.take().isEmpty)
    }

    @Test(arguments: [
        (ReplayStart.beginning, ["a", "b", "c", "d"]), (.position(Position(3)), ["c", "d"]), (.end, ["d"]),
        (.position(Position(5)), []),
    ])
    func newGroupStartsAtGivenPosition(start: ReplayStart, gets: [String]) async throws {
        let (bench, _) = try await begun()
        let member = try await bench.driver.join(GroupSettings("search", start: start), of: "orders")
        try await bench.driver.append(["d"])
        #expect(try await member.take().map(\.text) == gets)
    }

    @Test func groupContinuesAfterRemovedUnseenMessages() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .age(.seconds(1))))
        let member = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        try await bench.driver.append(["a", "b"])
        bench.clock.advance(2)
        let pull = Task { try await member.take() }
        let alarm = Task {
            try await Task.sleep(for: .seconds(30))
            pull.cancel()
        }
        #expect(try await pull.value.isEmpty)
        alarm.cancel()
        #expect(try await bench.driver.summary(of: "billing", in: "orders").lag == 0)
    }

    @Test func messageRemovedWhileHeldFreesRoomAfterDeadline() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .last(2)))
        let group = GroupSettings("billing", deadline: .seconds(10), maxUnsettled: 2)
        let member = try await bench.driver.join(group, of: "orders")
        try await bench.driver.append(["a", "b"])
        #expect(try await member.take().map(\.text) == ["a", "b"])
        try await bench.driver.append(["c", "d"])
        bench.clock.advance(11)
        #expect(try await member.take().map(\.text) == ["c", "d"])
    }

    @Test func removedUnseenMessagesAreNotCountedAsWaiting() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", keeping: .last(2)))
        let member = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        try await bench.driver.append(["a", "b", "c", "d", "e"])
        #expect(
            try await bench.driver.summary(of: "billing", in: "orders") == GroupSummary(waiting: 2, unsettled: 0))
        #expect(try await member.take().map(\.shown) == ["4:1", "5:1"])
    }

    @Test func groupStartingLaterHasNothingWaiting() async throws {
        let (bench, _) = try await begun()
        _ = try await bench.driver.join(GroupSettings("search", start: .position(Position(99))), of: "orders")
        #expect(try await bench.driver.summary(of: "search", in: "orders").lag == 0)
    }

    @Test(arguments: [10, 1_000]) func eachMemberHasItsOwnDeadline(others: Int) async throws {
        let (bench, member) = try await begun(["a"], deadline: .seconds(100))
        let other = try await bench.driver.join(GroupSettings("billing", deadline: .seconds(others)), of: "orders")
        for attempt in 1...2 {
            #expect(try await member.take().map(\.shown) == ["1:\(attempt)"])
            bench.clock.advance(99)
            #expect(try await other.take().isEmpty)
            bench.clock.advance(2)
        }
        #expect(try await other.take().map(\.shown) == ["1:3"])
        bench.clock.advance(Double(others) - 1)
        #expect(try await member.take().isEmpty)
        bench.clock.advance(2)
        #expect(try await member.take().map(\.shown) == ["1:4"])
    }

    @Test func extensionLastsForDeadlineOfMember() async throws {
        let (bench, member) = try await begun(["a"], deadline: .seconds(100))
        _ = try await bench.driver.join(GroupSettings("billing", deadline: .seconds(10)), of: "orders")
        let pulled = try await member.take()
        bench.clock.advance(90)
        try await member.settle(pulled, .extended)
        bench.clock.advance(99)
        #expect(try await member.take().isEmpty)
        bench.clock.advance(2)
        #expect(try await member.take().map(\.shown) == ["1:2"])
    }

    @Test func groupWithOtherSubjectsIsRefusedAndUnchanged() async throws {
        let bench = try Bench()
        try await bench.driver.ensure(StreamSettings("orders", subjects: ["orders.*"]))
        let member = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        let refusal = BrokerError.refused(
            "group billing of stream orders receives all subjects, but is described with 'orders.new': "
                + "use another group, or remove this one first")
        await #expect(throws: refusal) {
            _ = try await bench.driver.join(GroupSettings("billing", filter: "orders.new"), of: "orders")
        }
        try await bench.driver.append(["a"], subject: "orders.old")
        try await bench.driver.append(["b"], subject: "orders.new")
        #expect(try await member.take().map(\.text) == ["a", "b"])
    }

    @Test func existingGroupTakesNewMaximumOfUnsettled() async throws {
        let (bench, member) = try await begun(maxUnsettled: 1)
        _ = try await bench.driver.join(GroupSettings("billing", maxUnsettled: 2), of: "orders")
        #expect(try await member.take().map(\.shown) == ["1:1", "2:1"])
    }

    @Test func pullOfLessThanOneMessageIsRefused() async throws {
        let (_, member) = try await begun([])
        await #expect(throws: BrokerError.refused("0 messages cannot be pulled")) { try await member.take(0) }
    }

    @Test func pullWaitsForAppendOfAnotherConnection() async throws {
        let (bench, member) = try await begun([])
        async let pulled = member.pull(upTo: 5, within: .seconds(60))
        try await bench.driver.append(["a"])
        #expect(try await pulled.map(\.text) == ["a"])
        let other = try bench.other()
        async let second = member.pull(upTo: 5, within: .seconds(60))
        try await other.append(["b"])
        #expect(try await second.map(\.text) == ["b"])
    }

    @Test func pullWaitsForRoom() async throws {
        let (bench, member) = try await begun(["a", "b"], maxUnsettled: 1)
        let first = try await member.take()
        async let second = member.pull(upTo: 5, within: .seconds(60))
        try await Task.sleep(for: .milliseconds(20))
        try await member.settle(first, .done)
        #expect(try await second.map(\.shown) == ["2:1"])
        withExtendedLifetime(bench) {}
    }

    @Test func pullWaitsForDeadlineAndRetryDelay() async throws {
        let folder = try Folder()
        let driver = try SQLiteDriver(path: folder.file)
        try await driver.ensure(StreamSettings("orders"))
        try await driver.append(["a"])
        let member = try await driver.join(GroupSettings("billing", deadline: .milliseconds(100)), of: "orders")
        let first = try await member.take()
        let second = try await member.pull(upTo: 5, within: .seconds(60))
        #expect(second.map(\.shown) == ["1:2"])
        try await member.settle(second, .again(after: .milliseconds(50)))
        #expect(try await member.pull(upTo: 5, within: .seconds(60)).map(\.shown) == ["1:3"])
        try await member.settle(first, .done)
        #expect(try await member.pull(upTo: 5, within: .milliseconds(300)).isEmpty)
    }

    @Test func waitingPullDoesNotPollContinuously() async throws {
        let (folder, clock) = (try Folder(), AskedClock())
        let driver = try SQLiteDriver(path: folder.file, now: clock.now)
        try await driver.ensure(StreamSettings("orders"))
        try await driver.append(["a"])
        let member = try await driver.join(GroupSettings("billing", deadline: .seconds(1_000)), of: "orders")
        #expect(try await member.take().map(\.shown) == ["1:1"])
        let before = clock.asked
        #expect(try await member.pull(upTo: 1, within: .milliseconds(999)).isEmpty)
        // About three searches are needed, with two readings of the clock each. A search every 20 ms would exceed the
        // limit.
        #expect(clock.asked - before < 100)
    }

    @Test func pullEndsOnCancellationLeaveAndClose() async throws {
        let (bench, member) = try await begun([])
        let cancelled = Task { try await member.pull(upTo: 1, within: .never) }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let left = Task { try await member.pull(upTo: 1, within: .never) }
        await member.leave()
        await #expect(throws: BrokerError.self) { try await left.value }
        let other = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        let closed = Task { try await other.pull(upTo: 1, within: .never) }
        await bench.driver.close()
        await #expect(throws: BrokerError.closed) { try await closed.value }
        await #expect(throws: BrokerError.closed) { try await bench.driver.append(["a"]) }
    }

    @Test func removedGroupStartsAgain() async throws {
        let (bench, member) = try await begun(["a"])
        let pulled = try await member.take()
        try await bench.driver.remove(group: "billing", of: "orders")
        try await bench.driver.remove(group: "billing", of: "orders")
        await #expect(throws: BrokerError.self) { try await bench.driver.summary(of: "billing", in: "orders") }
        let again = try await bench.driver.join(GroupSettings("billing"), of: "orders")
        #expect(try await again.take().map(\.shown) == ["1:1"])
        try await member.settle(pulled, .done)
        #expect(try await bench.driver.summary(of: "billing", in: "orders").unsettled == 1)
    }

    @Test func removedGroupKeepsNamesakeInOtherStream() async throws {
        let (bench, member) = try await begun(["a"])
        try await bench.driver.ensure(StreamSettings("bills"))
        _ = try await bench.driver.join(GroupSettings("billing"), of: "bills")
        try await bench.driver.remove(group: "billing", of: "bills")
        #expect(try await member.take().map(\.shown) == ["1:1"])
    }

    @Test func removedGroupLeavesNothingInFile() async throws {
        let (bench, member) = try await begun()
        _ = try await member.take()
        try await bench.driver.remove(group: "billing", of: "orders")
        #expect(try await bench.driver.read { db, _ in try db.value("SELECT COUNT(*) FROM deliveries") } == 0)
    }

    @Test(arguments: ["", "x", "1-1-1", "x-1-1-1", "1-1-1-x", "1-1-1-1-1", "1-1--1-1"])
    func foreignTokenIsRefused(_ token: String) async throws {
        let (_, member) = try await begun()
        await #expect(throws: BrokerError.refused("'\(token)' is not a token of this broker")) {
            try await member.settle([Verdict(MessageToken(token), .done)])
        }
    }

    @Test func refusedTokenSettlesNothingOfItsBatch() async throws {
        let (bench, member) = try await begun(["a"], deadline: .seconds(10))
        let pulled = try await member.take()
        await #expect(throws: BrokerError.refused("'x' is not a token of this broker")) {
            try await member.settle([Verdict(pulled[0].token, .done), Verdict(MessageToken("x"), .done)])
        }
        bench.clock.advance(11)
        #expect(try await member.take().map(\.shown) == ["1:2"])
    }

    @Test func tokensSortLikePositions() throws {
        let words = [9, 10, 999, 1_000_000_000_000].map { DeliveryToken(1, $0, 1, 1).message.value }
        #expect(words == words.sorted())
    }
}
