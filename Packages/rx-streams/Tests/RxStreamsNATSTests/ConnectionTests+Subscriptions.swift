import RxSwift
import Testing

@testable import RxStreamsNATS

extension ConnectionTests {
    @Test func temporarySubscriptionEndsWithConnection() async throws {
        let server = try await LittleServer.start { number in
            if number > 0 { return LittleServer.good }
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                line == "PING" ? ["PONG\r\n"] : line.hasPrefix("PUB break") ? nil : []
            }
        }
        let (client, ends) = (try NATSClient.testing([server.url]), Seen<String>())
        client.start()
        try await client.untilReady(within: .seconds(20))
        _ = try client.subscribe(to: "x", isLasting: false, end: { _ in ends.add("x") }, deliver: { _ in })
        _ = try client.subscribe(to: "y", isLasting: true, end: { _ in ends.add("y") }, deliver: { _ in })
        try await client.send([OutgoingMessage(subject: "break")])
        try await eventually { server.lines.filter { $0 == "SUB y 3" }.count == 2 }
        #expect(ends.all == ["x"])
        #expect(server.lines.filter { $0 == "SUB x 2" }.count == 1)
        await client.close()
        #expect(ends.all == ["x", "y"])
        await server.stop()
    }

    @Test func messagesCompleteWhenDriverIsClosed() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (driver, ends) = (NATSDriver(try NATSClient.testing([server.url])), Seen<String>())
        let early = driver.messages(on: "x").subscribe(onCompleted: { ends.add("early") })
        await driver.close()
        try await ends.wait { $0 == ["early"] }
        let late = driver.messages(on: "x").subscribe(onCompleted: { ends.add("late") })
        try await ends.wait { $0 == ["early", "late"] }
        early.dispose()
        late.dispose()
        await server.stop()
    }

    @Test func messagesRetainDriver() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let heard = Seen<String>()
        func listen() async throws -> any Disposable {
            let driver = NATSDriver(try NATSClient.testing([server.url]))
            let listening = driver.messages(on: "x").subscribe(
                onNext: { heard.add($0.subject) }, onCompleted: { heard.add("completed") })
            try await eventually { server.lines.contains("SUB x 2") }
            return listening
        }
        let listening = try await listen()
        try await server.say("MSG x 2 1\r\nx\r\n")
        try await heard.wait { !$0.isEmpty }
        #expect(heard.all == ["x"])
        listening.dispose()
        try await eventually { server.openConnections == 0 }
        await server.stop()
    }

    @Test func disposedMessagesUnsubscribe() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        let listening = driver.messages(on: "x").subscribe()
        try await eventually { server.lines.contains("SUB x 2") }
        listening.dispose()
        try await eventually { server.lines.contains("UNSUB 2") }
        await driver.close()
        await server.stop()
    }

    @Test(arguments: [false, true]) func endedSubscriptionIsNotRenewed(isDrained: Bool) async throws {
        let (server, client) = try await connected { number in
            if number > 0 { return LittleServer.good }
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                line == "PING" ? ["PONG\r\n"] : line.hasPrefix("PUB break") ? nil : []
            }
        }
        let subscription = try client.subscribe(to: "x", isLasting: true, deliver: { _ in })
        _ = try client.subscribe(to: "y", isLasting: true, deliver: { _ in })
        if isDrained { await client.drain(subscription) } else { client.unsubscribe(subscription) }
        try await client.send([OutgoingMessage(subject: "break")])
        try await eventually { server.lines.filter { $0 == "SUB y 3" }.count == 2 }
        #expect(server.lines.filter { $0 == "SUB x 2" }.count == 1)
        await client.close()
        await server.stop()
    }

    @Test(arguments: [false, true]) func endedSubscriptionIsReleased(isDrained: Bool) async throws {
        final class Held: Sendable {}
        let (server, client) = try await connected { _ in LittleServer.good }
        weak var held: Held?
        do {
            let object = Held()
            held = object
            let subscription = try client.subscribe(to: "x", isLasting: true) { _ in withExtendedLifetime(object) {} }
            if isDrained { await client.drain(subscription) } else { client.unsubscribe(subscription) }
        }
        #expect(held == nil)
        await client.close()
        await server.stop()
    }

    @Test(arguments: [false, true]) func endedSubscriptionReceivesNoEnd(isDrained: Bool) async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        let ends = Seen<String>()
        let subscription = try client.subscribe(to: "x", isLasting: true) { _ in
            ends.add("x")
        } deliver: { _ in
        }
        if isDrained { await client.drain(subscription) } else { client.unsubscribe(subscription) }
        await client.close()
        #expect(ends.all.isEmpty)
        await server.stop()
    }

    @Test func subscriptionDrainedDuringReconnectionIsNotRenewed() async throws {
        let pings = Seen<Int>()
        let (server, client) = try await connected { number in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(number)
                // Does not answer the drain's PING on the first connection.
                return number > 0 || pings.all.count == 1 ? ["PONG\r\n"] : []
            }
        }
        let subscription = try client.subscribe(to: "x", isLasting: true, deliver: { _ in })
        _ = try client.subscribe(to: "y", isLasting: true, deliver: { _ in })
        let executor = QueueExecutor()
        let ending = Task(executorPreference: executor) { await client.drain(subscription) }
        try await pings.wait { $0 == [0, 0] }
        // The suspended queue holds `drain` until the client has reconnected.
        executor.queue.suspend()
        do {
            defer { executor.queue.resume() }
            await server.drop()
            try await eventually { server.lines.filter { $0 == "SUB y 3" }.count == 2 }
        }
        await ending.value
        #expect(server.lines.filter { $0 == "SUB x 2" }.count == 1)
        await client.close()
        await server.stop()
    }

    @Test func subscriptionEndsOnceWhenClientIsClosed() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (client, ends) = (try NATSClient.testing([server.url]), Seen<String>())
        client.start()
        try await client.untilReady(within: .seconds(20))
        _ = try client.subscribe(to: "x", isLasting: false, end: { _ in ends.add("x") }, deliver: { _ in })
        await client.close()
        #expect(ends.all == ["x"])
        await server.stop()
    }
}
