import Foundation
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    @Test func pullsRequestOnlyMissingMessages() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls)
        } run: { (server, driver) async throws in
            func batches() -> [Int] {
                pulls.all.compactMap { request in
                    (try? JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any])?["batch"]
                        as? Int
                }
            }
            let member = member(driver)
            func pull() -> Task<[PulledMessage], any Error> {
                Task { try await member.pull(upTo: 4, within: .seconds(20)) }
            }
            let first = pull()
            try await server.say(try #require(try await pulls.wait { $0.count == 1 }.last).delivery(1))
            #expect(positions(try await first.value) == [1])
            // The server still owes three messages to the first request, so the second pull requests only one.
            #expect(batches() == [4])
            let second = pull()
            let last = try #require(try await pulls.wait { $0.count == 2 }.last)
            #expect(batches() == [4, 1])
            try await server.say(pulls.all[0].status("408 Request Timeout", "Nats-Pending-Messages: 3"))
            try await pulls.wait { $0.count == 3 }
            #expect(batches() == [4, 1, 3])
            try await server.say(last.delivery(2))
            #expect(positions(try await second.value) == [2])
        }
    }

    /// A cluster may report the completion before it sends the messages.
    @Test func pullCompletedEarlyWaitsForItsMessages() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [request.status("409 Batch Completed", "Nats-Pending-Messages: 0", "Nats-Pending-Bytes: 9")]
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            let looking = Task { try await member.pull(upTo: 2, within: .seconds(0)) }
            let pull = try await pulls.wait { $0.count == 1 }[0]
            try await driver.client.roundTrip(within: .seconds(20))
            try await server.say(pull.delivery(1, left: 1) + pull.delivery(2))
            #expect(positions(try await looking.value) == [1, 2])
        }
    }

    @Test func pullWithoutWaitOfReceivedMessagesRequestsNothing() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [request.delivery(pulls.all.count)]
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
            try await server.say(try #require(pulls.all.first).delivery(2))
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(0))) == [2])
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(pulls.all.count == 1)
        }
    }

    @Test func pullAfterSatisfiedPullWithoutWaitRequestsAgain() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [request.delivery(pulls.all.count)]
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(0))) == [1])
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(20))) == [2])
        }
    }

    @Test func pullWithoutWaitWithNothingPendingReturnsEmpty() async throws {
        let pulls = Seen<Request>(), looks = Seen<[UInt64]>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
            let looking = Task { looks.add(positions(try await member.pull(upTo: 2, within: .seconds(0)))) }
            try await looks.wait { $0 == [[]] }
            try await looking.value
        }
    }

    @Test func statusOfEndedPullDoesNotEndAnother() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                pulls.all.count == 1 ? [request.delivery(1)] : []
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(20))) == [1])
            let pulling = Task { try await member.pull(upTo: 1, within: .seconds(20)) }
            let all = try await pulls.wait { $0.count == 2 }
            try await server.say(all[0].status("408 Request Timeout"))
            // The member has received the status before `roundTrip` returns. If the status had ended the second pull,
            // there would be a third.
            try await driver.client.roundTrip(within: .seconds(20))
            try await server.say(all[1].delivery(2))
            #expect(positions(try await pulling.value) == [2])
            #expect(pulls.all.count == 2)
        }
    }

    /// A message does not name its pull, so the member counts the missing messages of all pulls together.
    @Test func twoPullsCountReceivedAndPendingTogether() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                switch pulls.all.count {
                case 1: [request.delivery(1)]
                case 2: [request.delivery(2)]
                case 3: [request.delivery(5), request.status("404 No Messages", "Nats-Pending-Messages: 3")]
                default: [request.delivery(6)]
                }
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            for position in 1...2 as ClosedRange<UInt64> {
                #expect(positions(try await member.pull(upTo: 4, within: .seconds(20))) == [position])
            }
            let last = try #require(pulls.all.last)
            try await server.say(
                last.delivery(3) + last.delivery(4) + last.status("408 Request Timeout", "Nats-Pending-Messages: 1"))
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(0))) == [3, 4])
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(0))) == [5])
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(20))) == [6])
        }
    }

    @Test func pullEndedWithoutCountRequestsAllAgain() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                pulls.all.count == 1 ? [request.delivery(1)] : []
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(20))) == [1])
            let pulling = Task { try await member.pull(upTo: 4, within: .seconds(600)) }
            let all = try await pulls.wait { $0.count == 2 }
            try await server.say(all[0].status("408 Request Timeout"))
            let last = try #require(try await pulls.wait { $0.count == 3 }.last)
            #expect(last.body.contains(#""batch":4"#), "\(last.body)")
            try await server.say(last.delivery(2))
            #expect(positions(try await pulling.value) == [2])
        }
    }

    @Test func pulledMessageIsTrackedUntilDeadline() async throws {
        try await with { _ in
            LittleServer.asked { request in request.subject.contains(".NEXT.") ? [request.delivery(1)] : [] }
        } run: { (_, driver) async throws in
            let pulled = try await member(driver, deadline: .seconds(30)).pull(upTo: 1, within: .seconds(20))
            // This many tokens trigger the removal of expired ones.
            driver.unsettled.add((0..<1_023).map { "\($0)" }, due: .uptimeNanoseconds(0))
            #expect(driver.unsettled.takeAll() == pulled.map(\.token.value))
        }
    }

    @Test func pullWithoutWaitTakesMessagesSentBeforePong() async throws {
        let pulls = Seen<Request>(), isSent = Mutex(false)
        let server = try await LittleServer.start { _ in
            let good = LittleServer.asked { request in
                if request.subject.contains(".NEXT.") { pulls.add(request) }
                return request.subject.contains(".NEXT.") ? [request.delivery(1)] : []
            }
            return LittleServer.Script(greeting: good.greeting) { line in
                guard line == "PING", let pull = pulls.all.last else { return good.answer(line) }
                let isFirst = isSent.withLock { isSent in
                    defer { isSent = true }
                    return !isSent
                }
                return isFirst ? [pull.delivery(2), "PONG\r\n"] : ["PONG\r\n"]
            }
        }
        let driver = NATSDriver(try NATSClient.testing([server.url]) { $0.heartbeat = .seconds(600) })
        let member = member(driver)
        #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
        #expect(positions(try await member.pull(upTo: 2, within: .seconds(0))) == [2])
        await driver.close()
        await server.stop()
    }

    @Test func receivedMessagePastDeadlineIsNotDelivered() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                pulls.all.count == 1
                    ? [request.delivery(1)] : [request.status("404 No Messages", "Nats-Pending-Messages: 2")]
            }
        } run: { (server, driver) async throws in
            let member = member(driver, deadline: .seconds(1))
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
            try await server.say(try #require(pulls.all.first).delivery(2))
            try await driver.client.roundTrip(within: .seconds(20))
            try await driver.client.loop.scheduleTask(in: .milliseconds(1_100)) {}.futureResult.get()
            #expect(try await member.pull(upTo: 2, within: .seconds(0)).isEmpty)
        }
    }

    @Test func receivedMessageWithinDeadlineOfGroupIsDelivered() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [request.answer(Self.group)] }
                pulls.add(request)
                return pulls.all.count == 1
                    ? [request.delivery(1)] : [request.status("404 No Messages", "Nats-Pending-Messages: 2")]
            }
        } run: { (server, driver) async throws in
            let member = try await driver.join(GroupSettings("g", deadline: .milliseconds(1)), of: "s")
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(20))) == [1])
            try await server.say(try #require(pulls.all.first).delivery(2))
            try await driver.client.roundTrip(within: .seconds(20))
            try await driver.client.loop.scheduleTask(in: .milliseconds(2)) {}.futureResult.get()
            #expect(positions(try await member.pull(upTo: 2, within: .seconds(0))) == [2])
        }
    }

    @Test(arguments: ["Nats-Pending-Messages: 1", "Colour: blue"])
    func pullAfterEmptyPullWithoutWaitRequestsAgain(field: String) async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [pulls.all.count == 1 ? request.status("404 No Messages", field) : request.delivery(1)]
            }
        } options: {
            $0.requestTimeout = .seconds(600)
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(try await brought(by: member, upTo: 1, within: .seconds(0)).isEmpty)
            #expect(try await brought(by: member, upTo: 1, within: .seconds(600)) == [1])
        }
    }

    @Test func pullDeliversReceivedMessagesThoughMoreArePending() async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject.contains(".NEXT.") ? [request.delivery(1, left: 5)] : []
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 4, within: .seconds(600)) == [1])
        }
    }

    @Test func pullOfZeroMessagesReturnsAfterItsTimeout() async throws {
        try await with { _ in
            LittleServer.asked { _ in [] }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 1, within: .milliseconds(60)).isEmpty)
        }
    }

    @Test func receivedMessagesAreNotRequestedAgain() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                pulls.all.count == 1 ? [request.delivery(1)] : []
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            #expect(positions(try await member.pull(upTo: 4, within: .seconds(20))) == [1])
            let pull = try #require(pulls.all.first)
            for position in 2...4 { try await server.say(pull.delivery(position)) }
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(positions(try await member.pull(upTo: 1, within: .seconds(20))) == [2])
            try await driver.client.roundTrip(within: .seconds(20))
            #expect(pulls.all.count == 1)
        }
    }
}
