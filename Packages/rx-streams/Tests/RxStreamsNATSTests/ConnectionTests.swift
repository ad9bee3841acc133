import Dispatch
import Foundation
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import NIOSSL
import RxStreams
import RxSwift
import Synchronization
import Testing

@testable import RxStreamsNATS

@Suite(.serialized) struct ConnectionTests {
    /// A seed made for these tests: 32 times the byte 7.
    private static let seed: String = {
        let bytes: [UInt8] = [149, 0] + [UInt8](repeating: 7, count: 32)
        let sum = Base32.checksum(bytes[...])
        return Base32.encode(bytes + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)])
    }()

    /// Where nobody listens: a port that the system gives to no test's server.
    private static let nobody = "nats://127.0.0.1:1"

    /// A server and a client that is connected to it.
    private func connected(
        _ script: @escaping @Sendable (Int) -> LittleServer.Script,
        options change: (inout NATSClient.Options) -> Void = { _ in }
    ) async throws -> (LittleServer, NATSClient) {
        let server = try await LittleServer.start(script)
        let client = try NATSClient.testing([server.url], change)
        client.start()
        try await client.untilReady(within: .seconds(20))
        return (server, client)
    }

    /// The first connection is served badly, the next one well: the client says what was wrong, and goes on.
    private func recovers(
        from script: LittleServer.Script, saying words: String, timeout: TimeAmount = .seconds(10),
        pings: TimeAmount = .seconds(10)
    ) async throws {
        let server = try await LittleServer.start { $0 == 0 ? script : LittleServer.good }
        let client = try NATSClient.testing([server.url]) {
            ($0.connectTimeout, $0.pingInterval) = (timeout, pings)
        }
        let (seen, subscription) = client.seenStatus()
        client.start()
        let all = try await seen.wait { all in
            all.contains { if case .connecting(_, let why?) = $0 { why.contains(words) } else { false } }
                && all.last == .connected(server: "nats-server 2.10.0")
        }
        #expect(all.first == .connecting(attempt: 1, why: nil))
        await client.close()
        #expect(seen.all.last == .closed)
        subscription.dispose()
        await server.stop()
    }

    @Test func saysThatAServerSpeaksSomethingElse() async throws {
        try await recovers(from: .init(greeting: ["HTTP/1.1 400 Bad Request\r\n\r\n"]), saying: "does not speak NATS")
    }

    @Test func saysThatALineIsTooLong() async throws {
        let line = String(repeating: "x", count: 66_000)
        try await recovers(from: .init(greeting: [line]), saying: "more than 65536 bytes")
    }

    @Test func saysThatAServerIsTooOld() async throws {
        try await recovers(
            from: .init(greeting: ["INFO {\"server_id\":\"S\",\"version\":\"2.1.9\",\"max_payload\":9}\r\n"]),
            saying: "has version 2.1.9: 2.9 or later")
    }

    @Test func saysThatAServerSaysNothing() async throws {
        try await recovers(from: .init(), saying: "no answer within 0.4 s", timeout: .milliseconds(400))
    }

    @Test func saysThatHalfALineIsAllThereWas() async throws {
        try await recovers(
            from: .init(greeting: ["INFO {\"server_id\":"]), saying: "no answer within 0.4 s",
            timeout: .milliseconds(400))
    }

    @Test func saysThatAServerHasClosedBeforeItGreeted() async throws {
        try await recovers(from: .init(closes: true), saying: "closed")
    }

    @Test func saysThatAServerHasClosedAfterItGreeted() async throws {
        try await recovers(from: .init(greeting: [LittleServer.info]) { _ in nil }, saying: "closed")
    }

    @Test func saysThatAnInfoCannotBeRead() async throws {
        try await recovers(from: .init(greeting: ["INFO {\"server_id\":7}\r\n"]), saying: "INFO cannot be read")
    }

    @Test func saysWhatTheServerHasAgainstUs() async throws {
        try await recovers(
            from: .init(greeting: [LittleServer.info]) { $0 == "PING" ? ["-ERR 'Authorization Violation'\r\n"] : [] },
            saying: "Authorization Violation")
    }

    @Test func saysThatMessagesCameBeforeTheyWereAskedFor() async throws {
        try await recovers(
            from: .init(greeting: [LittleServer.info, "MSG a 1 1\r\nx\r\n"]), saying: "before the handshake")
    }

    @Test func saysThatAMessageIsTooLarge() async throws {
        try await recovers(
            from: .init(greeting: [LittleServer.info]) { $0 == "PING" ? ["PONG\r\n", "MSG a 1 190000000\r\n"] : [] },
            saying: "a message of 190000000 bytes")
    }

    @Test func saysThatAServerDoesWithoutKeys() async throws {
        let authentication = try NATSAuthentication.key(seed: Self.seed)
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing([server.url]) { $0.authentication = authentication }
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await seen.wait { all in
            all.contains { if case .connecting(_, let why?) = $0 { why.contains("not support keys") } else { false } }
        }
        #expect(!server.lines.contains { $0.hasPrefix("CONNECT") })
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func saysThatTwoPingsWereNotAnswered() async throws {
        let pings = Seen<Int>()
        try await recovers(
            from: .init(greeting: [LittleServer.info]) { line in
                if line == "PING" { pings.add(1) }
                return line == "PING" && pings.all.count == 1 ? ["PONG\r\n"] : []
            }, saying: "not answered 2 PINGs", pings: .milliseconds(300))
    }

    @Test func saysThatAServerClosedInTheMiddleOfAMessage() async throws {
        let server = try await LittleServer.start { number in
            number > 0
                ? LittleServer.good
                : .init(greeting: [LittleServer.info]) { line in
                    line == "PING"
                        ? ["PONG\r\n"] : line.hasPrefix("SUB x") ? ["MSG x 2 10\r\nabc"] : line == "PUB y 0" ? nil : []
                }
        }
        let client = try NATSClient.testing([server.url])
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await client.untilReady()
        _ = try client.subscribe(to: "x", isLasting: true) { _ in }
        try await eventually { server.lines.contains("SUB x 2") }
        try await client.send([OutgoingMessage(subject: "y")])
        try await seen.wait { all in
            all.contains {
                if case .connecting(_, let why?) = $0 { why.contains("in the middle of a message") } else { false }
            }
        }
        // And the subscription is set again.
        try await eventually { server.lines.filter { $0 == "SUB x 2" }.count == 2 }
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func neverSpeaksInTheClearWhereTLSIsWanted() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing(["tls://user:secret@127.0.0.1:\(server.port)"])
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await seen.wait { all in
            all.contains { if case .connecting(_, let why?) = $0 { why.contains("not support TLS") } else { false } }
        }
        #expect(server.lines.isEmpty)
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func neverSpeaksInTheClearWhereItsSettingsHaveTLS() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let context = try NIOSSLContext(configuration: .makeClientConfiguration())
        let client = try NATSClient.testing([server.url]) { $0.tls = context }
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await seen.wait { all in
            server.lines.contains { $0.hasPrefix("CONNECT") }
                || all.contains { if case .connecting(_, let why?) = $0 { why.contains("support TLS") } else { false } }
        }
        #expect(server.lines.isEmpty)
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func neverSpeaksInTheClearToAServerThatWantsTLS() async throws {
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"tls_required\":true,\"jetstream\"")
        let server = try await LittleServer.start { _ in .init(greeting: [info, "PONG\r\n"]) }
        let client = try NATSClient.testing(["nats://user:secret@127.0.0.1:\(server.port)"])
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await seen.wait { all in
            all.contains { if case .connecting(1, nil) = $0 { false } else { true } }
        }
        #expect(!server.lines.contains { $0.hasPrefix("CONNECT") })
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func takesNothingThatCameInTheClearWhereTLSIsToBegin() async throws {
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"tls_required\":true,\"jetstream\"")
        try await recovers(from: .init(greeting: [info + "PING\r\n"]), saying: "sent plain text")
    }

    @Test func saysOfItselfWhatItCanDo() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing(["nats://me:secret@127.0.0.1:\(server.port)"]) { $0.name = "orders" }
        client.start()
        try await client.untilReady(within: .seconds(20))
        let connect = try #require(server.lines.first { $0.hasPrefix("CONNECT ") })
        for word in [
            "\"verbose\":false", "\"pedantic\":false", "\"headers\":true", "\"no_responders\":true",
            "\"echo\":true", "\"protocol\":1", "\"tls_required\":false", "\"name\":\"orders\"",
            "\"user\":\"me\"", "\"pass\":\"secret\"",
        ] {
            #expect(connect.contains(word), "\(word) in \(connect)")
        }
        await client.close()
        await server.stop()
    }

    @Test func whoHasATokenSaysIt() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing(["nats://abc@127.0.0.1:\(server.port)"])
        client.start()
        try await client.untilReady(within: .seconds(20))
        let connect = try #require(server.lines.first { $0.hasPrefix("CONNECT ") })
        #expect(connect.contains("\"auth_token\":\"abc\""), "\(connect)")
        await client.close()
        await server.stop()
    }

    @Test func goesToTheServersThatAServerNames() async throws {
        let second = try await LittleServer.start { _ in LittleServer.good }
        let info = LittleServer.info.replacing(
            "\"jetstream\"", with: "\"connect_urls\":[\"127.0.0.1:\(second.port)\"],\"jetstream\"")
        let first = try await LittleServer.start { _ in
            .init(greeting: [info]) { $0 == "PING" ? ["PONG\r\n"] : $0.hasPrefix("PUB") ? nil : [] }
        }
        let client = try NATSClient.testing([first.url])
        client.start()
        try await client.untilReady()
        try? await client.send([OutgoingMessage(subject: "end")])
        try await eventually { second.connections > 0 }
        try await client.untilReady()
        await client.close()
        await first.stop()
        await second.stop()
    }

    @Test func callsFailWhenTheConnectionIsLostAndWhenItIsClosed() async throws {
        let server = try await LittleServer.start { _ in
            .init(greeting: [LittleServer.info]) { $0 == "PING" ? ["PONG\r\n"] : $0.hasPrefix("PUB break") ? nil : [] }
        }
        let client = try NATSClient.testing([server.url]) { $0.pingInterval = .seconds(60) }
        client.start()
        await #expect(throws: BrokerError.unavailable("the server closed the connection")) {
            _ = try await client.request([OutgoingMessage(subject: "break")])
        }
        try await client.untilReady()
        let waiting = Task { try await client.request([OutgoingMessage(subject: "wait")]) }
        try await eventually { server.lines.contains { $0.hasPrefix("PUB wait") } }
        await client.close()
        await #expect(throws: BrokerError.closed) { _ = try await waiting.value }
        await #expect(throws: BrokerError.closed) { try await client.send([OutgoingMessage(subject: "late")]) }
        await server.stop()
    }

    @Test func aRoundTripFailsWhenTheConnectionIsLost() async throws {
        let (pings, ends) = (Seen<Int>(), Seen<String>())
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(1)
                // The first one greets; the second is the round trip's.
                return pings.all.count == 2 ? nil : ["PONG\r\n"]
            }
        }
        let trip = Task {
            do {
                try await client.roundTrip(within: .seconds(600))
                ends.add("answered")
            } catch BrokerError.unavailable {
                ends.add("unavailable")
            } catch {
                ends.add("\(error)")
            }
        }
        try await ends.wait { !$0.isEmpty }
        #expect(ends.all == ["unavailable"])
        await trip.value
        await client.close()
        await server.stop()
    }

    @Test func attemptsAreCountedAnewAfterAConnectionThatWasWell() async throws {
        let server = try await LittleServer.start { number in
            if number == 0 { return LittleServer.Script(closes: true) }
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                line == "PING" ? ["PONG\r\n"] : line.hasPrefix("PUB break") ? nil : []
            }
        }
        let client = try NATSClient.testing([server.url])
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await client.untilReady(within: .seconds(20))
        try await client.send([OutgoingMessage(subject: "break")])
        let well = BrokerStatus.connected(server: "nats-server 2.10.0")
        let all = try await seen.wait { all in all.firstIndex(of: well).map { $0 + 1 < all.count } ?? false }
        let next = all.drop { $0 != well }.dropFirst().first
        if case .connecting(let attempt, _)? = next {
            #expect(attempt == 1)
        } else {
            Issue.record("\(all)")
        }
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func attemptsAreCountedAsLongAsNoneGoesWell() async throws {
        let server = try await LittleServer.start { $0 < 2 ? .init(closes: true) : LittleServer.good }
        let client = try NATSClient.testing([server.url])
        let (seen, subscription) = client.seenStatus()
        client.start()
        let all = try await seen.wait { $0.contains(.connected(server: "nats-server 2.10.0")) }
        let attempts = all.compactMap { if case .connecting(let attempt, _) = $0 { attempt } else { nil } }
        #expect(attempts == Array(1...attempts.count) && attempts.count >= 3)
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    /// It is well, and then closes at the first subscription.
    @Test func aServerThatTurnsUsOutAgainAndAgainIsTriedLessAndLessOften() async throws {
        let server = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                line == "PING" ? ["PONG\r\n"] : line.hasPrefix("SUB") ? nil : []
            }
        }
        let client = try NATSClient.testing([server.url]) { $0.backOff = (.milliseconds(50), .seconds(10)) }
        let begin = NIODeadline.now()
        client.start()
        // Six pauses, each twice as long as the one before, and of half that at least: 25 + 50 + ... + 800 ms.
        try await eventually { server.connections >= 7 }
        #expect(NIODeadline.now() - begin >= .milliseconds(1_500))
        await client.close()
        await server.stop()
    }

    /// A pause that doubled with each of so many rounds would be longer than a number can say.
    @Test func aServerThatIsNeverThereIsTriedForEver() async throws {
        let client = try NATSClient.testing([Self.nobody]) { $0.backOff = (.nanoseconds(1), .milliseconds(1)) }
        let (seen, subscription) = client.seenStatus()
        client.start()
        _ = try await seen.wait { $0.count > 70 }
        await client.close()
        subscription.dispose()
    }

    @Test func theStatusEndsWhenItIsClosed() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (client, ends) = (try NATSClient.testing([server.url]), Seen<String>())
        let subscription = client.status.subscribe(onCompleted: { ends.add("completed") })
        client.start()
        await client.close()
        try await ends.wait { $0 == ["completed"] }
        subscription.dispose()
        await server.stop()
    }

    @Test func whoAsksLateHowTheConnectionIsIsToldHowItIsNow() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing([server.url])
        let (early, first) = client.seenStatus()
        client.start()
        try await early.wait { $0.last == .connected(server: "nats-server 2.10.0") }
        let (late, second) = client.seenStatus()
        #expect(late.all == [.connected(server: "nats-server 2.10.0")])
        await client.close()
        first.dispose()
        second.dispose()
        await server.stop()
    }

    @Test func aConnectionThatIsWellOutlivesTheTimeThatItMayTake() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.good
        } options: {
            $0.connectTimeout = .milliseconds(500)
        }
        let connections = server.connections
        // Behind that time, which began before.
        try await client.loop.scheduleTask(in: .milliseconds(600)) {}.futureResult.get()
        try await client.roundTrip(within: .seconds(20))
        #expect(server.connections == connections)
        await client.close()
        await server.stop()
    }

    @Test func aServerThatAnswersEachPINGIsThere() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing([server.url]) {
            ($0.pingInterval, $0.pingsMissed) = (.milliseconds(50), 20)
        }
        client.start()
        try await eventually { server.lines.filter { $0 == "PING" }.count > 30 }
        #expect(server.connections == 1)
        await client.close()
        await server.stop()
    }

    @Test func theAnswerToThePINGOfAConnectionIsNoneToARoundTrip() async throws {
        let server = try await LittleServer.start { _ in
            let pings = Mutex(0)
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PUB answer 0" { return ["PONG\r\n"] }
                guard line == "PING" else { return [] }
                let count = pings.withLock { pings in
                    pings += 1
                    return pings
                }
                return count == 1 ? ["PONG\r\n"] : []
            }
        }
        let client = try NATSClient.testing([server.url]) { ($0.pingInterval, $0.pingsMissed) = (.seconds(1), 1_000) }
        client.start()
        func pings() -> Int { server.lines.filter { $0 == "PING" }.count }
        // The second one asks whether the server is there, the third one is the round trip's.
        try await eventually { pings() == 2 }
        let trip = Task { try await client.roundTrip(within: .milliseconds(600)) }
        try await eventually { pings() > 2 }
        try await client.send([OutgoingMessage(subject: "answer")])
        await #expect(throws: BrokerError.unavailable("the server did not answer in time")) { try await trip.value }
        await client.close()
        await server.stop()
    }

    @Test func aRoundTripEndsWhenTheClientIsClosed() async throws {
        let ends = Seen<String>()
        let (server, client) = try await connected { _ in
            let pings = Mutex(0)
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                let isFirst = pings.withLock { pings in
                    defer { pings += 1 }
                    return pings == 0
                }
                return isFirst ? ["PONG\r\n"] : []
            }
        }
        let trip = Task {
            do {
                try await client.roundTrip(within: .seconds(600))
                ends.add("answered")
            } catch {
                ends.add("\(error)")
            }
        }
        try await eventually { server.lines.filter { $0 == "PING" }.count == 2 }
        await client.close()
        try await ends.wait { $0 == ["the broker has been closed"] }
        await trip.value
        await server.stop()
    }

    /// Closes a client in a task of its own, which may take for ever.
    private func closes(_ client: NATSClient) async throws {
        let ends = Seen<String>()
        Task {
            await client.close()
            ends.add("closed")
        }
        try await ends.wait { $0 == ["closed"] }
    }

    @Test func closesWhileItConnects() async throws {
        let server = try await LittleServer.start { _ in .init() }
        let client = try NATSClient.testing([server.url]) { $0.connectTimeout = .seconds(600) }
        client.start()
        try await eventually { server.connections == 1 }
        try await closes(client)
        await server.stop()
    }

    @Test func closesWhileItWaitsForTheNextAttempt() async throws {
        let client = try NATSClient.testing([Self.nobody]) { $0.backOff = (.seconds(600), .seconds(600)) }
        client.start()
        // What was wrong with the first one is known.
        try await eventually { await why(client) != "there has been no connection yet" }
        try await closes(client)
    }

    /// Why there is no connection.
    private func why(_ client: NATSClient) async -> String {
        do {
            try await client.untilReady(within: .milliseconds(1))
            return "there is one"
        } catch BrokerError.unavailable(let why) {
            return why
        } catch {
            return "\(error)"
        }
    }

    @Test func aChannelThatComesWhenNobodyWantsItIsClosed() throws {
        let channel = EmbeddedChannel()
        let settings = NATSLink.Settings(
            address: try NATSAddress("a"), authentication: .none, tls: nil, name: "", pingInterval: .seconds(60),
            pingsMissed: 2)
        let link = NATSLink(settings, on: channel.embeddedEventLoop) { _, _ in }
        link.close(because: "the broker has been closed")
        let isClosed = Seen<Bool>()
        channel.closeFuture.whenComplete { _ in isClosed.add(true) }
        try channel.pipeline.syncOperations.addHandler(link)
        channel.embeddedEventLoop.run()
        #expect(isClosed.all == [true])
    }

    /// A link on a channel of a test's.
    private func link(
        to address: String, on channel: EmbeddedChannel,
        receive: @escaping @Sendable (NATSLink, ServerFrame) -> Void = { _, _ in }
    ) throws -> NATSLink {
        let settings = NATSLink.Settings(
            address: try NATSAddress(address), authentication: .none, tls: nil, name: "", pingInterval: .seconds(60),
            pingsMissed: 2)
        return NATSLink(settings, on: channel.embeddedEventLoop, receive: receive)
    }

    @Test(arguments: ["tls://nats.example.org", "tls://127.0.0.1"])
    func behindTLSAServerIsAskedForByItsNameWhereItHasOne(address: String) throws {
        let channel = EmbeddedChannel()
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 4222), promise: nil)
        channel.embeddedEventLoop.run()
        let link = try link(to: address, on: channel)
        try channel.pipeline.syncOperations.addHandler(link)
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"tls_available\":true,\"jetstream\"")
        try channel.writeInbound(ByteBuffer(string: info))
        channel.embeddedEventLoop.run()
        var said: [UInt8] = []
        while let part = try channel.readOutbound(as: ByteBuffer.self) { said += Array(part.readableBytesView) }
        // TLS begins with a record of a handshake.
        #expect(said.first == 22)
        let isNamed = String(decoding: said, as: UTF8.self).contains("nats.example.org")
        #expect(isNamed == (address == "tls://nats.example.org"))
        link.close(because: "the test is over")
        // TLS may wait for the other side to say that it ends.
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
    }

    @Test func aConnectionIsGivenUpWhenAsManyPINGsAsMayBeAreNotAnswered() throws {
        let (channel, frames, ends) = (EmbeddedChannel(), Seen<ServerFrame>(), Seen<String>())
        let link = try link(to: "a", on: channel) { _, frame in frames.add(frame) }
        link.over.futureResult.whenSuccess { ends.add($0) }
        try channel.pipeline.syncOperations.addHandler(link)
        try channel.writeInbound(ByteBuffer(string: LittleServer.info))
        try channel.writeInbound(ByteBuffer(string: "PONG\r\n"))
        for _ in 0..<2 { channel.embeddedEventLoop.advanceTime(by: .seconds(60)) }
        #expect(frames.all == [.ping, .ping] && ends.all.isEmpty)
        // An answer is one to all. It is none that anybody waits for.
        try channel.writeInbound(ByteBuffer(string: "+OK\r\n"))
        for _ in 0..<2 { channel.embeddedEventLoop.advanceTime(by: .seconds(60)) }
        #expect(frames.all == [.ping, .ping, .ping, .ping] && ends.all.isEmpty)
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(ends.all == ["the server has not answered 2 PINGs"])
        channel.embeddedEventLoop.run()
    }

    /// A server that asks and does not read costs one write, and not one for each PING.
    @Test func serversPINGsWhileNoAnswerIsTakenAreCountedAndAnsweredLater() throws {
        let (channel, clog) = (EmbeddedChannel(), Clog())
        let link = try link(to: "a", on: channel)
        try channel.pipeline.syncOperations.addHandler(clog)
        try channel.pipeline.syncOperations.addHandler(link)
        try channel.writeInbound(ByteBuffer(string: LittleServer.info))
        try channel.writeInbound(ByteBuffer(string: "PONG\r\n"))
        channel.embeddedEventLoop.run()
        clog.isClosed = true
        let greeted = clog.writes.count
        for _ in 0..<50 { try channel.writeInbound(ByteBuffer(string: String(repeating: "PING\r\n", count: 100))) }
        channel.embeddedEventLoop.run()
        #expect(clog.writes.count == greeted + 1)
        while clog.open() { channel.embeddedEventLoop.run() }
        let said = clog.writes.dropFirst(greeted).map { String(buffer: $0) }.joined()
        #expect(said == String(repeating: "PONG\r\n", count: 5_000))
        link.close(because: "the test is over")
        channel.embeddedEventLoop.run()
    }

    /// Records writes. While it is closed, the writes do not complete.
    private final class Clog: ChannelOutboundHandler {
        typealias OutboundIn = ByteBuffer
        var writes: [ByteBuffer] = []
        var isClosed = false
        private var promises: [EventLoopPromise<Void>] = []

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            writes.append(unwrapOutboundIn(data))
            if isClosed, let promise { promises.append(promise) } else { promise?.succeed() }
        }

        /// Completes the writes that wait; false if there were none.
        func open() -> Bool {
            let taken = promises
            promises = []
            for promise in taken { promise.succeed() }
            return !taken.isEmpty
        }
    }

    @Test func aServerThatIsSayingSomethingIsThere() throws {
        let (_, channel, ends) = try embeddedLink()
        try channel.writeInbound(ByteBuffer(string: LittleServer.info))
        try channel.writeInbound(ByteBuffer(string: "PONG\r\nMSG a 1 99\r\n"))
        for _ in 0..<5 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(60))
            try channel.writeInbound(ByteBuffer(string: "x"))
        }
        #expect(ends.all.isEmpty)
        channel.embeddedEventLoop.advanceTime(by: .seconds(180))
        #expect(ends.all == ["the server has not answered 2 PINGs"])
        channel.embeddedEventLoop.run()
    }

    @Test func aConnectionThatIsOverIsLetGo() throws {
        let channel = EmbeddedChannel()
        weak var held: NATSLink?
        try connectAndClose(channel) { held = $0 }
        channel.embeddedEventLoop.run()
        #expect(held == nil)
    }

    private func connectAndClose(_ channel: EmbeddedChannel, _ take: (NATSLink) -> Void) throws {
        let link = try link(to: "a", on: channel)
        take(link)
        try channel.pipeline.syncOperations.addHandler(link)
        try channel.writeInbound(ByteBuffer(string: LittleServer.info))
        try channel.writeInbound(ByteBuffer(string: "PONG\r\n"))
        link.close(because: "the test is over")
    }

    @Test func whatIsWrongWithAConnectionIsWhyItEnds() throws {
        let (channel, ends) = (EmbeddedChannel(), Seen<String>())
        let link = try link(to: "a", on: channel)
        link.ready.futureResult.whenFailure { ends.add("\($0)") }
        try channel.pipeline.syncOperations.addHandler(link)
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ETIMEDOUT, reason: "read"))
        #expect(ends.all.count == 1 && ends.all[0].contains("read"), "\(ends.all)")
        link.close(because: "the test is over")
        channel.embeddedEventLoop.run()
    }

    /// Nobody listens at the first of the addresses.
    @Test func aNameIsConnectedToByTheAddressThatAnswers() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing(["nats://two:\(server.port)"]) {
            $0.resolver = TwoAddresses(loop: MultiThreadedEventLoopGroup.singleton.any(), last: "127.0.0.1")
        }
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await client.untilReady(within: .seconds(20))
        #expect(server.connections == 1)
        await client.close()
        #expect(seen.all == [.connecting(attempt: 1, why: nil), .connected(server: "nats-server 2.10.0"), .closed])
        subscription.dispose()
        await server.stop()
    }

    @Test func aNameOfWhichNoAddressAnswersIsNotThere() async throws {
        let client = try NATSClient.testing(["nats://two:1"]) {
            $0.resolver = TwoAddresses(loop: MultiThreadedEventLoopGroup.singleton.any(), last: "127.0.0.1")
            $0.backOff = (.seconds(600), .seconds(600))
        }
        client.start()
        try await eventually { await why(client).contains("refused") }
        await client.close()
    }

    @Test func whoClosesWhenHeIsToldThatItConnectsIsNotConnected() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (client, ends) = (try NATSClient.testing([server.url]), Seen<String>())
        let subscription = client.status.subscribe(
            onNext: { if case .connecting = $0 { client.shutDown() } }, onCompleted: { ends.add("completed") })
        client.start()
        try await ends.wait { $0 == ["completed"] }
        #expect(server.connections == 0)
        subscription.dispose()
        await server.stop()
    }

    @Test func aDriverThatIsLetGoCloses() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let ends = Seen<String>()
        func connect() async throws -> any Disposable {
            let driver = NATSDriver(try NATSClient.testing([server.url]))
            try await driver.client.untilReady(within: .seconds(20))
            return driver.status.subscribe(onCompleted: { ends.add("completed") })
        }
        let subscription = try await connect()
        try await ends.wait { $0 == ["completed"] }
        subscription.dispose()
        await server.stop()
    }

    @Test func aBrokerSaysWhoItIsAsItWasTold() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let broker = try NATSBroker(
            servers: [server.url], authentication: .user("me", password: "secret"), name: "orders")
        try await eventually { server.lines.contains { $0.hasPrefix("CONNECT ") } }
        let connect = try #require(server.lines.first { $0.hasPrefix("CONNECT ") })
        for word in ["\"name\":\"orders\"", "\"user\":\"me\"", "\"pass\":\"secret\""] {
            #expect(connect.contains(word), "\(word) in \(connect)")
        }
        await broker.close()
        await server.stop()
    }

    @Test func aBrokerThatIsToldOfTLSNeverSpeaksInTheClear() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let broker = try NATSBroker(servers: [server.url], tls: .makeClientConfiguration())
        let seen = Seen<BrokerStatus>()
        let subscription = broker.driver.status.subscribe(onNext: { seen.add($0) })
        try await seen.wait { $0.contains { $0 != .connecting(attempt: 1, why: nil) } }
        #expect(server.lines.isEmpty)
        await broker.close()
        subscription.dispose()
        await server.stop()
    }

    @Test func whoNeedsAConnectionIsToldWhyThereIsNone() async throws {
        let client = try NATSClient.testing([Self.nobody])
        client.start()
        try await eventually { await why(client).hasPrefix("127.0.0.1:1: ") }
        await client.close()
    }

    @Test func whoNeedsAConnectionWaitsForItAsLongAsHeSays() async throws {
        let client = try NATSClient.testing([Self.nobody]) { $0.requestTimeout = .seconds(600) }
        let ends = Seen<String>()
        Task {
            do {
                _ = try await client.request([OutgoingMessage(subject: "a")], within: .milliseconds(50))
                ends.add("answered")
            } catch BrokerError.unavailable {
                ends.add("unavailable")
            } catch {
                ends.add("\(error)")
            }
        }
        try await ends.wait { $0 == ["unavailable"] }
        await client.close()
    }

    @Test func whoWaitsForAConnectionMayBeCancelled() async throws {
        let (client, ends) = (try NATSClient.testing([Self.nobody]), Seen<String>())
        let waiting = Task {
            do {
                try await client.untilReady(within: .seconds(600))
                ends.add("ready")
            } catch {
                ends.add("\(error)")
            }
        }
        waiting.cancel()
        try await ends.wait { $0 == ["CancellationError()"] }
        await client.close()
    }

    @Test func aRoundTripThatIsNotAnsweredInTimeIsAnError() async throws {
        let (pings, ends) = (Seen<Int>(), Seen<String>())
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(1)
                return pings.all.count == 1 ? ["PONG\r\n"] : []
            }
        }
        let trip = Task {
            do {
                try await client.roundTrip(within: .milliseconds(200))
                ends.add("answered")
            } catch {
                ends.add("\(error)")
            }
        }
        try await ends.wait { !$0.isEmpty }
        #expect(ends.all == ["the broker is unavailable: the server did not answer in time"])
        await trip.value
        await client.close()
        await server.stop()
    }

    @Test func anAnswerToARoundTripThatComesTooLateIsNoneToTheNext() async throws {
        let pings = Seen<Int>()
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(1)
                // The third one is answered by what the second one waited for.
                return pings.all.count == 2 ? [] : ["PONG\r\n"]
            }
        }
        for span in [TimeAmount.milliseconds(200), .seconds(1)] {
            await #expect(throws: BrokerError.unavailable("the server did not answer in time")) {
                try await client.roundTrip(within: span)
            }
        }
        await client.close()
        await server.stop()
    }

    @Test func answersAreInTheOrderOfTheirRequestsHoweverTheyCome() async throws {
        let requests = Mutex<[[String]]>([])
        let server = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                let words = line.split(separator: " ").map(String.init)
                if line == "PING" { return ["PONG\r\n"] }
                guard words.count == 4, words[0] == "PUB" else { return [] }
                let all = requests.withLock { requests -> [[String]] in
                    requests.append(words)
                    return requests
                }
                guard all.count == 3 else { return [] }
                return all.reversed().map { "MSG \($0[2]) 1 1\r\n\($0[1])\r\n" }
            }
        }
        let client = try NATSClient.testing([server.url])
        client.start()
        let answers = try await client.request(
            ["a", "b", "c"].map { OutgoingMessage(subject: $0) }, within: .seconds(20))
        #expect(answers.map { String(decoding: $0.payload, as: UTF8.self) } == ["a", "b", "c"])
        await client.close()
        await server.stop()
    }

    @Test func aServersPINGIsAnswered() async throws {
        let server = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { $0 == "PING" ? ["PONG\r\n", "PING\r\n"] : [] }
        }
        let client = try NATSClient.testing([server.url])
        client.start()
        try await eventually { server.lines.contains("PONG") }
        await client.close()
        await server.stop()
    }

    @Test(arguments: [
        ("Permissions Violation for Subscription to \"x\"", "the server closed the connection"),
        ("Invalid Subject", "the server closed the connection"),
        ("maximum subscriptions exceeded", "the server closed the connection"),
        ("Maximum Connections Exceeded", "the server says: Maximum Connections Exceeded"),
    ])
    func anErrorIsWhyAConnectionEndsUnlessItLeavesItAsItIs(error: String, why: String) async throws {
        let server = try await LittleServer.start { number in
            if number > 0 { return LittleServer.good }
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PING" { return ["PONG\r\n"] }
                return line.hasPrefix("SUB x") ? ["-ERR '\(error)'\r\n"] : line.hasPrefix("PUB break") ? nil : []
            }
        }
        let client = try NATSClient.testing([server.url])
        let (seen, subscription) = client.seenStatus()
        client.start()
        try await client.untilReady(within: .seconds(20))
        _ = try client.subscribe(to: "x", isLasting: true, deliver: { _ in })
        try await client.send([OutgoingMessage(subject: "break")])
        try await seen.wait { all in
            all.contains { if case .connecting(_, _?) = $0 { true } else { false } }
        }
        #expect(seen.all.contains(.connecting(attempt: 1, why: why)), "\(seen.all)")
        await client.close()
        subscription.dispose()
        await server.stop()
    }

    /// A server that forbids what is said in a line that begins so, in its words.
    private static func forbidding(_ line: String, _ words: String) -> LittleServer.Script {
        LittleServer.Script(greeting: [LittleServer.info]) { said in
            if said == "PING" { return ["PONG\r\n"] }
            return said.hasPrefix(line) ? ["-ERR 'Permissions Violation for \(words)'\r\n"] : []
        }
    }

    @Test func whoMayNotListenIsToldAndNoOtherIs() async throws {
        let words = #"Subscription to "x""#
        let server = try await LittleServer.start { _ in Self.forbidding("SUB x", words) }
        let (driver, ends) = (NATSDriver(try NATSClient.testing([server.url])), Seen<String>())
        let listening = ["x", "y"].map { subject in
            driver.messages(on: subject).subscribe(onError: { ends.add("\(subject): \($0)") })
        }
        try await ends.wait { !$0.isEmpty }
        #expect(ends.all == ["x: \(BrokerError.refused("the server says: Permissions Violation for \(words)"))"])
        for listening in listening { listening.dispose() }
        await driver.close()
        await server.stop()
    }

    @Test func whatMayNotBeListenedToIsNotSetAgain() async throws {
        let server = try await LittleServer.start { _ in Self.forbidding("SUB x", #"Subscription to "x""#) }
        let (client, ends) = (try NATSClient.testing([server.url]), Seen<String>())
        client.start()
        try await client.untilReady(within: .seconds(20))
        _ = try client.subscribe(to: "x", isLasting: true, end: { _ in ends.add("x") }, deliver: { _ in })
        _ = try client.subscribe(to: "y", isLasting: true, deliver: { _ in })
        try await ends.wait { $0 == ["x"] }
        await server.drop()
        try await eventually { server.lines.filter { $0 == "SUB y 3" }.count == 2 }
        #expect(server.lines.filter { $0 == "SUB x 2" }.count == 1)
        await client.close()
        #expect(ends.all == ["x"])
        await server.stop()
    }

    /// Others that wait go on waiting.
    @Test func whoMayNotAskIsToldAtOnceAndNoOtherIs() async throws {
        let words = #"Publish to "a""#
        let (server, client) = try await connected { _ in
            Self.forbidding("PUB a ", words)
        } options: {
            $0.requestTimeout = .seconds(20)
        }
        let waiting = Task { try await client.request([OutgoingMessage(subject: "b")], within: .seconds(600)) }
        try await eventually { server.lines.contains { $0.hasPrefix("PUB b ") } }
        await #expect(throws: BrokerError.refused("the server says: Permissions Violation for \(words)")) {
            _ = try await client.request(["c", "a"].map { OutgoingMessage(subject: $0) })
        }
        // Who is told with him has been told by now.
        try await client.roundTrip(within: .seconds(20))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await client.close()
        await server.stop()
    }

    /// Neither is who waits, nor who asks afterwards; on another connection he may be.
    @Test func whoMayNotBeAnsweredIsTold() async throws {
        let asked = Seen<String>()
        let server = try await LittleServer.start { number in
            LittleServer.asked { request in
                asked.add(request.subject)
                if number > 0 { return [request.answer("x")] }
                let inbox = request.reply.split(separator: ".").dropLast().joined(separator: ".") + ".*"
                return asked.all.count > 1 ? [] : ["-ERR 'Permissions Violation for Subscription to \"\(inbox)\"'\r\n"]
            }
        }
        let client = try NATSClient.testing([server.url]) { $0.requestTimeout = .seconds(20) }
        client.start()
        for _ in 0..<2 {
            let error = await #expect(throws: BrokerError.self) {
                _ = try await client.request([OutgoingMessage(subject: "a")])
            }
            #expect(error?.refusal != nil, "\(String(describing: error))")
        }
        await server.drop()
        try await eventually { server.connections == 2 }
        try await eventually { (try? await client.request([OutgoingMessage(subject: "a")]))?.count == 1 }
        await client.close()
        await server.stop()
    }

    @Test func whatIsNotLastingEndsWithItsConnectionAndIsNotSetAgain() async throws {
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

    @Test func whoListensIsToldWhenTheBrokerIsClosed() async throws {
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

    @Test func whoListensKeepsTheDriver() async throws {
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
        // Nobody listens any longer.
        try await eventually { server.openConnections == 0 }
        await server.stop()
    }

    @Test func whoStopsListeningIsUnsubscribed() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        let listening = driver.messages(on: "x").subscribe()
        try await eventually { server.lines.contains("SUB x 2") }
        listening.dispose()
        try await eventually { server.lines.contains("UNSUB 2") }
        await driver.close()
        await server.stop()
    }

    @Test func aCallThatIsCancelledEndsSoon() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing([server.url]) { $0.requestTimeout = .seconds(600) }
        client.start()
        let waiting = Task { try await client.request([OutgoingMessage(subject: "wait")]) }
        try await eventually { server.lines.contains { $0.hasPrefix("PUB wait") } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        await client.close()
        await server.stop()
    }

    @Test func aCallOfATaskThatHasBeenCancelledEndsSoon() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.good
        } options: {
            $0.requestTimeout = .seconds(600)
        }
        let ends = Seen<String>()
        let waiting = Task {
            // It goes on when it has been cancelled.
            try? await Task.sleep(nanoseconds: 600_000_000_000)
            do {
                _ = try await client.request([OutgoingMessage(subject: "wait")])
                ends.add("answered")
            } catch {
                ends.add("\(error)")
            }
        }
        waiting.cancel()
        try await ends.wait { $0 == ["CancellationError()"] }
        await client.close()
        await server.stop()
    }

    /// Answers nothing that it is asked.
    private static func silent(_ asked: Seen<LittleServer.Request>) -> LittleServer.Script {
        LittleServer.asked { request in
            asked.add(request)
            return []
        }
    }

    /// Asks for one thing, whose answer is kept when it comes; returns what the server was asked.
    private func askingOne(_ client: NATSClient, _ asked: Seen<LittleServer.Request>, _ answers: Seen<String>)
        async throws -> LittleServer.Request
    {
        Task {
            do {
                let answer = try await client.request([OutgoingMessage(subject: "a")])[0]
                answers.add(String(decoding: answer.payload, as: UTF8.self))
            } catch {
                answers.add("\(error)")
            }
        }
        return try #require(try await asked.wait { $0.count == 1 }.first)
    }

    @Test func aCallThatIsCancelledTakesNoAnswerFromAnother() async throws {
        let (asked, answers) = (Seen<LittleServer.Request>(), Seen<String>())
        let (server, client) = try await connected { _ in
            Self.silent(asked)
        } options: {
            $0.requestTimeout = .seconds(600)
        }
        let first = try await askingOne(client, asked, answers)
        let others = Task { try await client.request(["b", "c"].map { OutgoingMessage(subject: $0) }) }
        try await asked.wait { $0.count == 3 }
        others.cancel()
        await #expect(throws: CancellationError.self) { _ = try await others.value }
        try await server.say(first.answer("x"))
        try await answers.wait { $0 == ["x"] }
        await client.close()
        await server.stop()
    }

    @Test func anAnswerMayTakeAsLongAsWhoAsksSays() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.good
        } options: {
            $0.requestTimeout = .seconds(600)
        }
        let ends = Seen<String>()
        Task {
            do {
                _ = try await client.request([OutgoingMessage(subject: "wait")], within: .milliseconds(200))
                ends.add("answered")
            } catch {
                ends.add("\(error)")
            }
        }
        try await ends.wait { $0 == ["the broker is unavailable: the server did not answer in time"] }
        await client.close()
        await server.stop()
    }

    @Test func anAnswerThatDoesNotComeInTimeIsAnError() async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        await #expect(throws: BrokerError.unavailable("the server did not answer in time")) {
            _ = try await client.request([OutgoingMessage(subject: "wait")], within: .milliseconds(300))
        }
        await client.close()
        await server.stop()
    }

    @Test func eachAnswerHasItsTimeSinceTheOneBefore() {
        let (begun, span) = (NIODeadline.now(), TimeAmount.seconds(10))
        let answers = Answers(first: 1, count: 2, span: span)
        #expect(!answers.isLate(at: .distantFuture))
        answers.begin()
        let made = NIODeadline.now()
        #expect(!answers.isLate(at: begun + span - .nanoseconds(1)) && answers.isLate(at: made + span))
        var later = made
        while later == made { later = .now() }
        answers.take(IncomingMessage(sid: 1, subject: "", reply: nil, headers: nil, payload: []), for: 1)
        let taken = NIODeadline.now()
        #expect(!answers.isLate(at: later + span - .nanoseconds(1)) && answers.isLate(at: taken + span))
    }

    @Test func whoSendsWaitsForAServerThatTakesNothing() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.good
        } options: {
            $0.outgoingLimit = 1000
            $0.requestTimeout = .milliseconds(300)
            $0.pingInterval = .seconds(60)
        }
        // The loop is kept busy, so that nothing goes out.
        let (hold, go) = (DispatchSemaphore(value: 0), client.loop)
        await withCheckedContinuation { held in
            go.execute {
                held.resume()
                hold.wait()
            }
        }
        try await client.send([OutgoingMessage(subject: "a", payload: [UInt8](repeating: 0, count: 999))])
        await #expect(throws: BrokerError.unavailable("the server does not read what is sent")) {
            try await client.send([OutgoingMessage(subject: "b")])
        }
        hold.signal()
        try await client.send([OutgoingMessage(subject: "c")])
        try await eventually { server.lines.contains("PUB c 0") }
        #expect(!server.lines.contains("PUB b 0"))
        await client.close()
        await server.stop()
    }

    @Test func refusesWhatTheServerWouldNotTake() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let client = try NATSClient.testing([server.url])
        client.start()
        await #expect(throws: BrokerError.refused("a message of 1001 bytes exceeds the server's limit of 1000")) {
            try await client.send([OutgoingMessage(subject: "a", payload: [UInt8](repeating: 0, count: 1001))])
        }
        await client.close()
        await server.stop()
    }

    @Test func refusesRequestsOfWhichOneIsTooLargeAndSaysNoneOfThem() async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        let large = OutgoingMessage(subject: "b", payload: [UInt8](repeating: 0, count: 1001))
        await #expect(throws: BrokerError.refused("a message of 1001 bytes exceeds the server's limit of 1000")) {
            _ = try await client.request([OutgoingMessage(subject: "a"), large])
        }
        try await client.send([OutgoingMessage(subject: "end")])
        try await eventually { server.lines.contains("PUB end 0") }
        #expect(!server.lines.contains { $0.hasPrefix("PUB a") || $0.hasPrefix("PUB b") })
        await client.close()
        await server.stop()
    }

    @Test func theHeadersOfAMessageAreOfItsSize() async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        let payload = [UInt8](repeating: 65, count: 983)
        // The block of headers has 18 bytes.
        await #expect(throws: BrokerError.refused("a message of 1001 bytes exceeds the server's limit of 1000")) {
            try await client.send([
                OutgoingMessage(subject: "a", fields: [.init(name: "K", value: "v")], payload: payload)
            ])
        }
        await client.close()
        await server.stop()
    }

    @Test(arguments: [
        NewMessage("a.*", []), NewMessage("a\r\nPUB b 0", []), NewMessage("a", [], id: "1\r\nNats-Rollup: all"),
        NewMessage("a", [], headers: ["K": "v\r\n\r\nPUB b 0"]), NewMessage("a", [], headers: ["K:": "v"]),
    ])
    func refusesWhatWouldBecomeSomethingElse(message: NewMessage) async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        try await driver.client.untilReady(within: .seconds(20))
        await #expect(throws: BrokerError.self) { try await driver.send(message) }
        try await driver.send(NewMessage("end", []))
        try await eventually { server.lines.contains("PUB end 0") }
        #expect(server.lines.filter { $0.contains("PUB") } == ["PUB end 0"])
        await driver.close()
        await server.stop()
    }

    @Test func takesAMessageAsLargeAsTheServerTakes() async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        try await client.send([OutgoingMessage(subject: "a", payload: [UInt8](repeating: 65, count: 1000))])
        try await eventually { server.lines.contains("PUB a 1000") }
        await client.close()
        await server.stop()
    }

    /// What it takes now, it may not have taken always, nor others.
    @Test func aServerMaySayMoreThanItTakes() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PING" { return ["PONG\r\n"] }
                let bytes = String(repeating: "x", count: 2_000_000)
                return line.hasPrefix("SUB x") ? ["MSG x 2 2000000\r\n\(bytes)\r\n"] : []
            }
        }
        let sizes = Seen<Int>()
        _ = try client.subscribe(to: "x", isLasting: true, deliver: { sizes.add($0.payload.count) })
        try await sizes.wait { $0 == [2_000_000] }
        #expect(server.connections == 1)
        await client.close()
        await server.stop()
    }

    @Test func aServerMaySayANewLimit() async throws {
        let pings = Seen<Int>()
        let less = LittleServer.info.replacing("\"max_payload\":1000", with: "\"max_payload\":10")
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(1)
                // The first one greets; the second is the round trip's.
                return pings.all.count == 1 ? ["PONG\r\n"] : [less, "PONG\r\n"]
            }
        }
        try await client.roundTrip(within: .seconds(20))
        await #expect(throws: BrokerError.refused("a message of 11 bytes exceeds the server's limit of 10")) {
            try await client.send([OutgoingMessage(subject: "a", payload: [UInt8](repeating: 65, count: 11))])
        }
        await client.close()
        await server.stop()
    }

    @Test func refusesWhatIsNoServer() {
        for url in ["", "nats://", "http://a:1", "nats://a:0", "nats://a:99999", "nats://a/b", "a b", "nats://u:p@"] {
            #expect(throws: BrokerError.self, "\(url)") { _ = try NATSBroker(servers: [url]) }
        }
        #expect(throws: BrokerError.self) { _ = try NATSBroker(servers: []) }
        let why = "'…@' is not a server address: use nats://HOST:PORT or tls://HOST:PORT"
        #expect(throws: BrokerError.refused(why)) {
            _ = try NATSAddress("nats://user:secret@")
        }
    }

    @Test func anAddressEndsWithItsPort() throws {
        let address = try NATSAddress("nats://a:99/")
        #expect(address.host == "a" && address.port == 99)
        // A password with a number sign that stands there as it is.
        for url in ["nats://me#secret@a", "nats://a%20b", "nats://a%0D%0Ab"] {
            #expect(throws: BrokerError.self, "\(url)") { _ = try NATSAddress(url) }
        }
    }

    @Test func readsAddresses() throws {
        let address = try NATSAddress("tls://me:secret@[::1]:99")
        #expect(address.host == "::1" && address.port == 99 && address.wantsTLS && address.user == "me")
        #expect(address.password == "secret" && address.description == "[::1]:99")
        #expect(try NATSAddress("a").port == 4222)
    }

    @Test func whoStandsInAnAddressGoesBeforeWhoIsSaidForAll() throws {
        func who(_ url: String) throws -> String {
            switch try NATSAddress(url).authentication(.user("all", password: "p")).kind {
            case .none: "nobody"
            case .user(let name, let password): "user \(name) \(password)"
            case .token(let token): "token \(token)"
            case .key: "key"
            }
        }
        #expect(try who("nats://a") == "user all p")
        #expect(try who("nats://me:secret@a") == "user me secret")
        #expect(try who("nats://abc@a") == "token abc")
    }

    @Test func aServerThatAnotherNamesIsSpokenToAsThatOneIs() throws {
        let (first, second) = (try NATSAddress("tls://me:secret@a:1"), try NATSAddress("tls://me:secret@b:2"))
        var pool = ServerPool([first])
        pool.learn(["a:1", "b:2", "b:2", "no server"], like: first)
        #expect(pool.addresses == [first, second])
        pool.learn((0..<100).map { "c\($0):3" }, like: first)
        #expect(pool.count == 64)
    }

    /// A pool to which another server was given, and two more were named.
    private func pool() throws -> ServerPool {
        var pool = ServerPool([try NATSAddress("a:1")])
        pool.learn(["b:2", "c:3"], like: try NATSAddress("a:1"))
        return pool
    }

    private func places(_ pool: ServerPool) -> [String] { pool.addresses.map(\.description).sorted() }

    /// The last is named by one that was named itself.
    @Test func aServerThatIsNamedByItsNumberHasTheNameOfTheOneThatNamedIt() throws {
        var pool = ServerPool([try NATSAddress("tls://a:1")])
        pool.learn(["10.0.0.2:2", "b:3"], like: pool.addresses[0])
        let second = try #require(pool.addresses.first { $0.host == "10.0.0.2" })
        pool.learn(["10.0.0.2:2", "b:3", "[::1]:4"], like: second)
        let names = pool.addresses.map { "\($0.host) \($0.tlsName ?? "")" }
        #expect(names.sorted() == ["10.0.0.2 a", "::1 a", "a a", "b b"])
    }

    @Test func aServerThatANumberNamesByItsNumberHasNoName() throws {
        var pool = ServerPool([try NATSAddress("tls://10.0.0.1:1")])
        pool.learn(["10.0.0.2:2"], like: pool.addresses[0])
        #expect(pool.addresses.map(\.tlsName) == [nil, nil])
    }

    @Test func aServerThatIsNamedNoLongerIsForgotten() throws {
        var pool = try pool()
        pool.learn(["c:3", "d:4"], like: try NATSAddress("a:1"))
        #expect(places(pool) == ["a:1", "c:3", "d:4"])
    }

    @Test func theServerThatWasTriedLastIsNotForgotten() throws {
        var pool = try pool()
        let last = (0..<2).map { _ in pool.next() }[1]
        pool.learn(["d:4"], like: last)
        #expect(places(pool) == ["a:1", last.description, "d:4"])
    }

    @Test func whoNamesNoServersHasNoneBeForgotten() throws {
        var pool = try pool()
        for others in [[], ["no server"]] { pool.learn(others, like: try NATSAddress("a:1")) }
        #expect(places(pool) == ["a:1", "b:2", "c:3"])
    }

    @Test func whoHasCredentialsSaysTheirJWTAndNoKey() async throws {
        let seed = Self.seed
        let file = FileManager.default.temporaryDirectory.path + "/rx-\(NATSClient.word()).creds"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let text = """
            -----BEGIN NATS USER JWT-----
            eyJ0eXAi
            OiJKV1Qi
            ------END NATS USER JWT------

            ************************* IMPORTANT *************************

            -----BEGIN USER NKEY SEED-----
            \(seed)
            ------END USER NKEY SEED------
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let authentication = try NATSAuthentication.credentials(file: file)
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"nonce\":\"abc\",\"jetstream\"")
        let (server, client) = try await connected { _ in
            .init(greeting: [info]) { $0 == "PING" ? ["PONG\r\n"] : [] }
        } options: {
            $0.authentication = authentication
        }
        let connect = try #require(server.lines.first { $0.hasPrefix("CONNECT") })
        #expect(connect.contains("\"jwt\":\"eyJ0eXAiOiJKV1Qi\"") && connect.contains("\"sig\":\""))
        #expect(!connect.contains("\"nkey\"") && !connect.contains(seed))
        await client.close()
        await server.stop()
    }

    @Test func whatStandsBeforeTheCredentialsOfAFileIsNoneOfThem() throws {
        let file = FileManager.default.temporaryDirectory.path + "/rx-\(NATSClient.word()).creds"
        defer { try? FileManager.default.removeItem(atPath: file) }
        let text = """
            # Of orders.
            -----BEGIN NATS USER JWT-----
            eyJ0eXAi
            ------END NATS USER JWT------
            -----BEGIN USER NKEY SEED-----
            \(Self.seed)
            ------END USER NKEY SEED------
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        guard case .key(_, let jwt) = try NATSAuthentication.credentials(file: file).kind else {
            throw CancellationError()
        }
        #expect(jwt == "eyJ0eXAi")
    }

    @Test func aFileWithoutBothPartsHasNoCredentials() throws {
        let file = FileManager.default.temporaryDirectory.path + "/rx-\(NATSClient.word()).creds"
        #expect(throws: BrokerError.refused("the credentials in \(file) cannot be read")) {
            _ = try NATSAuthentication.credentials(file: file)
        }
        defer { try? FileManager.default.removeItem(atPath: file) }
        let text = "-----BEGIN NATS USER JWT-----\neyJ0eXAi\n------END NATS USER JWT------\n"
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(throws: BrokerError.refused("\(file) contains no credentials: a JWT and a seed are needed")) {
            _ = try NATSAuthentication.credentials(file: file)
        }
    }

    @Test func theSeedOfAnAccountIsNoUsers() {
        let bytes: [UInt8] = [144, 0] + [UInt8](repeating: 7, count: 32)
        let sum = Base32.checksum(bytes[...])
        let seed = Base32.encode(bytes + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)])
        #expect(seed.hasPrefix("SA"))
        #expect(throws: BrokerError.self) { try NATSKey(seed: seed) }
    }

    /// What others write of these bytes.
    @Test func keysAreWrittenAsOthersWriteThem() {
        #expect(Base32.encode(Array("foobar".utf8)) == "MZXW6YTBOI")
        #expect(Base32.decode("MZXW6YTBOI") == Array("foobar".utf8))
        #expect(Base32.decode("MZXW6YTBO1") == nil && Base32.decode("mzxw6ytboi") == nil)
        #expect(Base32.checksum(Array("123456789".utf8)[...]) == 0x31C3)
    }

    @Test func aKeyMayHaveAnyBytes() {
        let bytes = Array(UInt8.min...UInt8.max)
        for start in 0..<8 {
            let key = Array(bytes[start...] + bytes[..<start])
            #expect(Base32.decode(Base32.encode(key)) == key)
        }
    }

    @Test func aSignatureIsOfLettersThatStandInURLs() throws {
        let key = try NATSKey(seed: Self.seed)
        for number in 0..<64 {
            let signature = try key.sign("nonce \(number)")
            #expect(signature.utf8.count == 86)
            #expect(signature.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }

    @Test func signsWhatAServerAsks() async throws {
        let seed = Self.seed
        #expect(seed.hasPrefix("SU") && seed.count == 58)
        let key = try NATSKey(seed: seed)
        #expect(key.publicKey.hasPrefix("U") && key.publicKey.count == 56)
        #expect(throws: BrokerError.self) { try NATSKey(seed: String(seed.dropLast())) }
        #expect(throws: BrokerError.self) {
            try NATSKey(seed: String(seed.dropLast()) + (seed.hasSuffix("A") ? "B" : "A"))
        }
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"nonce\":\"abc\",\"jetstream\"")
        let server = try await LittleServer.start { _ in .init(greeting: [info]) { $0 == "PING" ? ["PONG\r\n"] : [] } }
        let client = try NATSClient.testing([server.url]) {
            $0.authentication = NATSAuthentication(kind: .key(key, jwt: nil))
        }
        client.start()
        try await client.untilReady()
        let connect = try #require(server.lines.first { $0.hasPrefix("CONNECT") })
        #expect(
            connect.contains("\"nkey\":\"\(key.publicKey)\"") && connect.contains("\"sig\":\"")
                && !connect.contains(seed))
        await client.close()
        await server.stop()
    }

    /// From the documentation of the servers' keys.
    @Test func aKeyIsWhatOthersMakeOfItsSeed() throws {
        let key = try NATSKey(seed: "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY")
        #expect(key.publicKey == "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4")
    }

    @Test func whatDoesNotBeginAsASeedIsNone() {
        // The five bits that say whose it is are a user's.
        let bytes: [UInt8] = [5, 0] + [UInt8](repeating: 7, count: 32)
        let sum = Base32.checksum(bytes[...])
        let text = Base32.encode(bytes + [UInt8(truncatingIfNeeded: sum), UInt8(truncatingIfNeeded: sum >> 8)])
        #expect(text.hasPrefix("AU"))
        #expect(throws: BrokerError.self) { try NATSKey(seed: text) }
    }

    @Test func anAddressHasNoQuery() {
        // The first one has a password with a question mark that stands there as it is.
        for url in ["nats://me?secret@a", "nats://a?tls=x"] {
            #expect(throws: BrokerError.self, "\(url)") { _ = try NATSAddress(url) }
        }
    }

    @Test func aHostHasNoDeletedLetter() {
        #expect(throws: BrokerError.self) { _ = try NATSAddress("nats://a%7Fb") }
    }

    @Test func whatCannotBeSaidAtOnceIsAnError() async throws {
        let client = try NATSClient.testing([Self.nobody])
        #expect(throws: BrokerError.unavailable("there has been no connection yet")) {
            try client.say([OutgoingMessage(subject: "a")])
        }
        await client.close()
        #expect(throws: BrokerError.closed) { try client.say([OutgoingMessage(subject: "a")]) }
    }

    @Test func nothingThatIsAskedIsAnsweredAtOnce() async throws {
        let (server, client) = try await connected { _ in LittleServer.good }
        let ends = Seen<Int>()
        Task { ends.add((try? await client.request([], within: .seconds(600)).count) ?? -1) }
        try await ends.wait { $0 == [0] }
        await client.close()
        await server.stop()
    }

    /// Sends in tasks of their own, and returns when all of them have begun.
    private func begin(
        _ count: Int, ends: Seen<String>, _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let begun = Seen<Int>()
        for number in 0..<count {
            Task {
                begun.add(number)
                do {
                    try await body()
                    ends.add("done")
                } catch {
                    ends.add("\(error)")
                }
            }
        }
        try await begun.wait { $0.count == count }
    }

    @Test func whoWaitsForAConnectionIsToldWhenTheClientIsClosed() async throws {
        let (client, ends) = (try NATSClient.testing([Self.nobody]), Seen<String>())
        // More than have threads: nearly all of them wait when all have begun.
        try await begin(64, ends: ends) { try await client.untilReady(within: .seconds(600)) }
        await client.close()
        let all = try await ends.wait { $0.count == 64 }
        #expect(Set(all) == ["the broker has been closed"])
    }

    @Test func whoWaitsForRoomIsToldWhenThereIsSome() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.good
        } options: {
            ($0.outgoingLimit, $0.requestTimeout) = (1000, .seconds(600))
        }
        // The loop is kept busy, so that nothing goes out.
        let (hold, go) = (DispatchSemaphore(value: 0), client.loop)
        await withCheckedContinuation { held in
            go.execute {
                held.resume()
                hold.wait()
            }
        }
        defer { hold.signal() }
        try await client.send([OutgoingMessage(subject: "a", payload: [UInt8](repeating: 65, count: 999))])
        let ends = Seen<String>()
        // More than have threads: nearly all of them wait when all have begun.
        try await begin(64, ends: ends) { try await client.send([OutgoingMessage(subject: "b")]) }
        #expect(ends.all.isEmpty)
        hold.signal()
        let all = try await ends.wait { $0.count == 64 }
        #expect(Set(all) == ["done"])
        await client.close()
        await server.stop()
    }

    /// Runs a test with a server that greets and reads nothing; it has one channel.
    private func withoutReading(
        options change: (inout NATSClient.Options) -> Void,
        run body: (NATSClient, any Channel) async throws -> Void
    ) async throws {
        let children = Mutex<[any Channel]>([])
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                children.withLock { $0.append(channel) }
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Greeter())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let client = try NATSClient.testing(["nats://127.0.0.1:\(port)"], change)
        client.start()
        try await client.untilReady(within: .seconds(20))
        try await body(client, try #require(children.withLock { $0.first }))
        await client.close()
        for child in children.withLock({ $0 }) { try? await child.close() }
        try await server.close()
    }

    /// More than the system takes.
    private static let much = Array(
        repeating: OutgoingMessage(subject: "a", payload: [UInt8](repeating: 65, count: 100_000)), count: 300)

    @Test func whoSendsIsHeldBackWhereTheServerReadsNothing() async throws {
        try await withoutReading {
            $0.requestTimeout = .milliseconds(300)
        } run: { client, _ in
            await #expect(throws: BrokerError.unavailable("the server does not read what is sent")) {
                for message in Self.much { try await client.send([message]) }
            }
        }
    }

    @Test func theTimeOfAnAnswerDoesNotBeginWhileItsRequestIsNotTaken() async throws {
        try await withoutReading {
            $0.outgoingLimit = 1 << 30
        } run: { client, channel in
            try client.say(Self.much)
            let (executor, ends) = (QueueExecutor(), Seen<String>())
            Task(executorPreference: executor) {
                do {
                    _ = try await client.request([OutgoingMessage(subject: "b")], within: .milliseconds(100))
                    ends.add("answered")
                } catch {
                    ends.add("\(error)")
                }
            }
            // Once it waits.
            executor.queue.sync {}
            await #expect(throws: BrokerError.unavailable("the server did not answer in time")) {
                try await client.roundTrip(within: .milliseconds(300))
            }
            try await channel.writeAndFlush(ByteBuffer(string: "MSG \(client.inbox)1 1 0\r\n\r\n")).get()
            try await ends.wait { $0 == ["answered"] }
        }
    }

    @Test func requestsHaveAddressesOfTheirOwn() async throws {
        let asked = Seen<LittleServer.Request>()
        let (server, client) = try await connected { _ in
            Self.silent(asked)
        } options: {
            $0.requestTimeout = .seconds(600)
        }
        var total = 0
        for count in [3, 1, 1] {
            total += count
            let (messages, wanted) = (Array(repeating: OutgoingMessage(subject: "a"), count: count), total)
            Task { _ = try? await client.request(messages) }
            try await asked.wait { $0.count == wanted }
        }
        #expect(Set(asked.all.map(\.reply)).count == 5)
        await client.close()
        await server.stop()
    }

    @Test func aRequestThatIsOverTakesNoAnswerFromAnother() async throws {
        let (asked, answers) = (Seen<LittleServer.Request>(), Seen<String>())
        let (server, client) = try await connected { _ in
            Self.silent(asked)
        } options: {
            $0.requestTimeout = .seconds(600)
        }
        let first = try await askingOne(client, asked, answers)
        await #expect(throws: BrokerError.unavailable("the server did not answer in time")) {
            _ = try await client.request(
                ["b", "c"].map { OutgoingMessage(subject: $0) }, within: .milliseconds(200))
        }
        try await server.say(first.answer("x"))
        try await answers.wait { $0 == ["x"] }
        await client.close()
        await server.stop()
    }

    @Test func aRoundTripMayTakeAsLongAsWhoAsksSays() async throws {
        let (server, client) = try await connected { _ in
            let pings = Mutex(0)
            return LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PUB answer 0" { return ["PONG\r\n"] }
                guard line == "PING" else { return [] }
                let isFirst = pings.withLock { pings in
                    defer { pings += 1 }
                    return pings == 0
                }
                return isFirst ? ["PONG\r\n"] : []
            }
        }
        let ends = Seen<String>()
        try await begin(1, ends: ends) { try await client.roundTrip(within: .seconds(600)) }
        try await eventually { server.lines.filter { $0 == "PING" }.count == 2 }
        // Meanwhile it has been looked at more than once.
        try await client.loop.scheduleTask(in: .milliseconds(400)) {}.futureResult.get()
        #expect(ends.all.isEmpty)
        try await client.send([OutgoingMessage(subject: "answer")])
        try await ends.wait { $0 == ["done"] }
        await client.close()
        await server.stop()
    }

    @Test func aPONGThatALostConnectionOwedIsNotWaitedForOnTheNext() async throws {
        let pings = Seen<Int>()
        let (server, client) = try await connected { number in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(number)
                return number > 0 || pings.all.count == 1 ? ["PONG\r\n"] : nil
            }
        }
        await #expect(throws: BrokerError.self) { try await client.roundTrip(within: .seconds(20)) }
        try await client.untilReady(within: .seconds(20))
        try await client.roundTrip(within: .seconds(5))
        #expect(server.connections == 2)
        await client.close()
        await server.stop()
    }

    @Test func aPONGThatNobodyAskedForIsNothing() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { $0 == "PING" ? ["PONG\r\nPONG\r\n"] : [] }
        }
        try await client.roundTrip(within: .seconds(20))
        #expect(server.connections == 1)
        await client.close()
        await server.stop()
    }

    @Test(arguments: [false, true]) func whatHasBeenUnsubscribedIsNotSetAgain(isDrained: Bool) async throws {
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

    @Test(arguments: [false, true]) func whatHasBeenUnsubscribedIsLetGo(isDrained: Bool) async throws {
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

    @Test(arguments: [false, true]) func whatHasBeenUnsubscribedIsNotToldOfTheEnd(isDrained: Bool) async throws {
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

    @Test func whatEndsWhileAnotherConnectionIsMadeIsNotSetOnIt() async throws {
        let pings = Seen<Int>()
        let (server, client) = try await connected { number in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                guard line == "PING" else { return [] }
                pings.add(number)
                // The second one of the first connection waits for what is on its way.
                return number > 0 || pings.all.count == 1 ? ["PONG\r\n"] : []
            }
        }
        let subscription = try client.subscribe(to: "x", isLasting: true, deliver: { _ in })
        _ = try client.subscribe(to: "y", isLasting: true, deliver: { _ in })
        let executor = QueueExecutor()
        let ending = Task(executorPreference: executor) { await client.drain(subscription) }
        try await pings.wait { $0 == [0, 0] }
        // It is told of the loss when the other connection is there.
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

    @Test func whatIsSubscribedEndsOnceWhenTheClientIsClosed() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (client, ends) = (try NATSClient.testing([server.url]), Seen<String>())
        client.start()
        try await client.untilReady(within: .seconds(20))
        _ = try client.subscribe(to: "x", isLasting: false, end: { _ in ends.add("x") }, deliver: { _ in })
        await client.close()
        #expect(ends.all == ["x"])
        await server.stop()
    }

    /// The first of the addresses has no user, and nobody listens there.
    @Test(arguments: ["", "CONNECT", "PING"])
    func aServerThatAnotherNamesIsToldWhoWeAreToThatOne(isNamedBehind word: String) async throws {
        let third = try await LittleServer.start { _ in LittleServer.good }
        let naming = LittleServer.info.replacing(
            "\"jetstream\"", with: "\"connect_urls\":[\"127.0.0.1:\(third.port)\"],\"jetstream\"")
        let second = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [word.isEmpty ? naming : LittleServer.info]) { line in
                if line.hasPrefix("CONNECT ") { return word == "CONNECT" ? [naming] : [] }
                if line == "PING" { return word == "PING" ? ["PONG\r\n", naming] : ["PONG\r\n"] }
                return line.hasPrefix("PUB") ? nil : []
            }
        }
        let client = try NATSClient.testing([Self.nobody, "nats://me:secret@127.0.0.1:\(second.port)"])
        client.start()
        try await client.untilReady(within: .seconds(20))
        try? await client.send([OutgoingMessage(subject: "end")])
        try await eventually { third.lines.contains { $0.hasPrefix("CONNECT ") } }
        let connect = try #require(third.lines.first { $0.hasPrefix("CONNECT ") })
        #expect(connect.contains("\"user\":\"me\"") && connect.contains("\"pass\":\"secret\""), "\(connect)")
        await client.close()
        await second.stop()
        await third.stop()
    }

    @Test func whoNeedsAConnectionIsToldWhyItWasLost() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                line == "PING" ? ["PONG\r\n"] : line.hasPrefix("PUB break") ? nil : []
            }
        } options: {
            $0.backOff = (.seconds(600), .seconds(600))
        }
        try await client.send([OutgoingMessage(subject: "break")])
        try await eventually { await why(client) == "the server closed the connection" }
        await client.close()
        await server.stop()
    }

    /// Such an error names the places in source files at which it has come up.
    @Test func errorOfTLSToldNamesNoSourceFile() async throws {
        let text = """
            handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 1 error:1:SSL routines:OPENSSL_internal:CERTIFICATE\
            _VERIFY_FAILED at /build/of/somebody/ssl/handshake.cc:298, Error: 2 error:2:X at /a b/tls_record.cc.inc:9]))
            """
        struct Fault: Error, CustomStringConvertible {
            let description: String
        }
        #expect(
            NATSLink.words(Fault(description: text)) == """
                handshakeFailed(NIOSSL.BoringSSLError.sslError([Error: 1 error:1:SSL routines:OPENSSL_internal:CERTIF\
                ICATE_VERIFY_FAILED, Error: 2 error:2:X]))
                """)
        // The server answers the handshake with bytes that are no TLS.
        let info = LittleServer.info.replacing("\"jetstream\"", with: "\"tls_required\":true,\"jetstream\"")
        let server = try await LittleServer.start { _ in .init(greeting: [info]) }
        let client = try NATSClient.testing([server.url])
        client.start()
        var words = ""
        try await eventually {
            // If TLS has not begun, the client refuses the bytes for another reason, and connects again.
            try? await server.say(String(repeating: "x", count: 100))
            words = await why(client)
            return words.contains("handshakeFailed")
        }
        #expect(words.contains("SSL routines") && !words.contains(".cc") && !words.contains("/"), "\(words)")
        await client.close()
        await server.stop()
    }

    @Test func whyThereIsNoConnectionIsSaidInFewWords() async throws {
        let server = try await LittleServer.start { _ in .init(closes: true) }
        let client = try NATSClient.testing([server.url]) { $0.backOff = (.seconds(600), .seconds(600)) }
        client.start()
        let words = "127.0.0.1:\(server.port): the server closed the connection"
        try await eventually { await why(client) == words }
        await client.close()
        await server.stop()
    }

    @Test func whyNobodyIsThereIsSaidInFewWords() async throws {
        let client = try NATSClient.testing([Self.nobody]) { $0.backOff = (.seconds(600), .seconds(600)) }
        client.start()
        try await eventually { await why(client).hasPrefix("127.0.0.1:1: ") }
        let words = await why(client)
        #expect(!words.contains("SingleConnectionFailure"), "\(words)")
        await client.close()
    }

    @Test func saysThatItMayNotBeThere() async throws {
        try await recovers(
            from: .init(greeting: [LittleServer.info]) {
                $0 == "PING" ? ["-ERR 'Permissions Violation for Publish to \"x\"'\r\n"] : []
            }, saying: "Permissions Violation")
    }

    @Test func anErrorAfterWhichTheServerGoesOnLeavesTheConnectionAsItIs() async throws {
        let (server, client) = try await connected { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PING" { return ["PONG\r\n"] }
                return line.hasPrefix("SUB x") ? ["-ERR 'Something New'\r\n"] : []
            }
        }
        _ = try client.subscribe(to: "x", isLasting: true, deliver: { _ in })
        try await client.roundTrip(within: .seconds(20))
        #expect(server.connections == 1)
        await client.close()
        await server.stop()
    }

    /// A client, and what it logs.
    private func logging(_ url: String) throws -> (NATSClient, Seen<String>) {
        let told = Seen<String>()
        let like = try NATSClient.testing([url])
        let logger = Logger(label: "test", factory: { _ in SeenLog(told) })
        return (NATSClient(like.options, on: like.loop, logger: logger), told)
    }

    @Test(arguments: ["Permissions Violation for Subscription to \"x\"", "maximum subscriptions exceeded"])
    func whatTheServerHasAgainstASubscriptionIsLogged(error: String) async throws {
        let server = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                if line == "PING" { return ["PONG\r\n"] }
                return line.hasPrefix("SUB x") ? ["-ERR '\(error)'\r\n"] : []
            }
        }
        let (client, told) = try logging(server.url)
        client.start()
        try await client.untilReady(within: .seconds(20))
        _ = try client.subscribe(to: "x", isLasting: true, deliver: { _ in })
        try await told.wait { $0.contains("warning: the server says: \(error)") }
        await client.close()
        await server.stop()
    }

    @Test func serversErrorsOfOneKindManyAreLoggedTenTimesAMinuteAtMost() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (client, told) = try logging(server.url)
        client.start()
        try await client.untilReady(within: .seconds(20))
        for number in 0..<100 {
            try await server.say("-ERR 'Permissions Violation for Publish to \"$JS.ACK.s.g.1.\(number)\"'\r\n")
        }
        try await server.say("-ERR 'Invalid Subject'\r\n")
        try await told.wait { $0.contains { $0.contains("Invalid Subject") } }
        #expect(told.all.count { $0.contains("Permissions Violation") } == 10)
        await client.close()
        await server.stop()
    }

    @Test func thatAConnectionComesAndGoesIsLogged() async throws {
        let server = try await LittleServer.start { _ in
            LittleServer.Script(greeting: [LittleServer.info]) { line in
                line == "PING" ? ["PONG\r\n"] : line.hasPrefix("PUB break") ? nil : []
            }
        }
        let (client, told) = try logging(server.url)
        client.start()
        try await told.wait { $0 == ["info: connected"] }
        try await client.send([OutgoingMessage(subject: "break")])
        try await told.wait { $0.starts(with: ["info: connected", "warning: no connection"]) }
        await client.close()
        await server.stop()
    }

    @Test func whoClosesIsNotWarnedThatThereIsNoConnection() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let (client, told) = try logging(server.url)
        client.start()
        try await told.wait { $0 == ["info: connected"] }
        await client.close()
        #expect(told.all == ["info: connected"])
        await server.stop()
    }

    /// A link in a channel of a test's, which has no other end, and why it ends.
    private func embeddedLink() throws -> (NATSLink, EmbeddedChannel, Seen<String>) {
        let (channel, ends) = (EmbeddedChannel(), Seen<String>())
        let link = try link(to: "a", on: channel)
        link.over.futureResult.whenSuccess { ends.add($0) }
        try channel.pipeline.syncOperations.addHandler(link)
        return (link, channel, ends)
    }

    @Test func aConnectionThatIsGivenUpIsClosed() throws {
        let (link, channel, ends) = try embeddedLink()
        let isClosed = Seen<Bool>()
        channel.closeFuture.whenComplete { _ in isClosed.add(true) }
        link.close(because: "the test is over")
        channel.embeddedEventLoop.run()
        #expect(isClosed.all == [true] && ends.all == ["the test is over"])
    }

    @Test(arguments: [ECONNRESET, EPIPE]) func aConnectionThatIsResetIsOneThatTheServerClosed(code: Int32) throws {
        let (_, channel, ends) = try embeddedLink()
        channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "read"))
        channel.embeddedEventLoop.run()
        #expect(ends.all == ["the server closed the connection"])
    }

    @Test func anErrorThatIsNoneOfTheSystemsIsSaidInItsWords() throws {
        let (_, channel, ends) = try embeddedLink()
        channel.pipeline.fireErrorCaught(ProtocolFault.lineWithoutReturn)
        channel.embeddedEventLoop.run()
        #expect(ends.all == ["the server sent a line that does not end in CR LF"])
    }

    @Test func whyTheServerEndsAConnectionIsToldAlsoWhereItResetsIt() throws {
        let (_, channel, ends) = try embeddedLink()
        try channel.writeInbound(ByteBuffer(string: LittleServer.info))
        try channel.writeInbound(ByteBuffer(string: "PONG\r\n-ERR 'Maximum Connections Exceeded'\r\n"))
        #expect(ends.all.isEmpty)
        channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNRESET, reason: "read"))
        channel.embeddedEventLoop.run()
        #expect(ends.all == ["the server says: Maximum Connections Exceeded"])
    }

    @Test func whatIsSettledIsNotHandedBackWhenItIsExtendedAfterwards() {
        let unsettled = Unsettled()
        unsettled.add(["a", "b"], due: .now() + .seconds(600))
        unsettled.remove("a")
        for token in ["a", "b"] { unsettled.extend(token, due: .distantFuture) }
        #expect(unsettled.takeAll() == ["b"])
        #expect(unsettled.takeAll().isEmpty)
    }

    @Test func whatHasNotBeenSettledInTimeIsForgottenNowAndThen() {
        let unsettled = Unsettled()
        unsettled.add((0..<1_023).map { "\($0)" }, due: .uptimeNanoseconds(1))
        unsettled.add(["last"], due: .distantFuture)
        #expect(unsettled.takeAll(at: .uptimeNanoseconds(0)) == ["last"])
    }

    @Test func whatHasNotBeenSettledInTimeIsWithOthersAndNotHandedBack() {
        let unsettled = Unsettled()
        unsettled.add(["late"], due: .uptimeNanoseconds(1))
        unsettled.add(["a"], due: .uptimeNanoseconds(2))
        #expect(unsettled.takeAll(at: .uptimeNanoseconds(1)) == ["a"])
    }

    @Test func eachVerdictIsSaidInTheServersWords() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        try await driver.client.untilReady(within: .seconds(20))
        let member = NATSMember(driver, stream: "s", group: GroupSettings("g"))
        let settlements: [Settlement] = [
            .done, .givenUp, .extended, .again(after: .nanoseconds(0)), .again(after: .milliseconds(1_500)),
        ]
        try await member.settle(
            settlements.enumerated().map { Verdict(MessageToken("$JS.ACK.s.g.1.\($0 + 1).1.1.0"), $1) })
        func words() -> [String] { server.lines.filter { $0.hasPrefix("+") || $0.hasPrefix("-") } }
        try await eventually { words().count == 5 }
        #expect(words() == ["+ACK", "+TERM", "+WPI", "-NAK", "-NAK {\"delay\":1500000000}"])
        await driver.close()
        await server.stop()
    }

    @Test func aTokenOfSomethingElseIsRefusedAndNothingIsSaid() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        try await driver.client.untilReady(within: .seconds(20))
        let member = NATSMember(driver, stream: "s", group: GroupSettings("g"))
        await #expect(throws: BrokerError.refused("\"orders.new\" is not the token of a message")) {
            try await member.settle([
                Verdict(MessageToken("$JS.ACK.s.g.1.1.1.1.0"), .done), Verdict(MessageToken("orders.new"), .done),
            ])
        }
        try await driver.client.send([OutgoingMessage(subject: "end")])
        try await eventually { server.lines.contains("PUB end 0") }
        #expect(!server.lines.contains("+ACK"))
        await driver.close()
        await server.stop()
    }

    @Test func atTheEndIsHandedBackWhatIsNotSettledAlsoWhereItIsExtended() async throws {
        let server = try await LittleServer.start { _ in LittleServer.good }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        try await driver.client.untilReady(within: .seconds(20))
        let member = NATSMember(driver, stream: "s", group: GroupSettings("g"))
        let tokens = (1...3).map { "$JS.ACK.s.g.1.\($0).\($0).1.0" }
        driver.unsettled.add(tokens, due: .now() + .seconds(600))
        try await member.settle([
            Verdict(MessageToken(tokens[0]), .done), Verdict(MessageToken(tokens[1]), .extended),
        ])
        await driver.close()
        try await eventually { server.lines.filter { $0 == "-NAK" }.count == 2 }
        // The second one has been told of twice: that it goes on, and that it is handed back.
        let told = tokens.map { token in server.lines.filter { $0 == "PUB \(token) 4" }.count }
        #expect(told == [1, 2, 1])
        await server.stop()
    }

    @Test(arguments: [
        ("409 Consumer Deleted", BrokerError.missing("group g of stream s")),
        ("409 Consumer is push based", .missing("group g of stream s")),
        ("400 Bad Request", .refused("the server rejects the pull: Bad Request")),
        ("409 Exceeded MaxRequestBatch of 10", .refused("the server rejects the pull: Exceeded MaxRequestBatch of 10")),
        ("409 Exceeded MaxWaiting", .unavailable("Exceeded MaxWaiting")),
    ])
    func whatTheServerHasAgainstAPullIsItsError(status: String, error: BrokerError) async throws {
        let address = Mutex("")
        let (server, client) = try await connected { _ in
            .init(greeting: [LittleServer.info]) { line in
                let words = line.split(separator: " ").map(String.init)
                if line == "PING" { return ["PONG\r\n"] }
                if words.count == 3, words[0] == "SUB", words[2] != "1" { address.withLock { $0 = words[2] } }
                guard words.count == 4, words[1].hasPrefix("$JS.API.CONSUMER.MSG.NEXT.") else { return [] }
                let (sid, size) = (address.withLock { $0 }, 13 + status.utf8.count)
                return ["HMSG \(words[2]) \(sid) \(size) \(size)\r\nNATS/1.0 \(status)\r\n\r\n\r\n"]
            }
        } options: {
            $0.heartbeat = .seconds(600)
        }
        let inbox = PullInbox(client, stream: "s", consumer: "g", deadline: .seconds(600))
        await #expect(throws: error) { _ = try await inbox.pull(upTo: 1, within: .seconds(20)) }
        await inbox.leave()
        await client.close()
        await server.stop()
    }

    @Test func whoReadsAgainFromWhereHeBeganGetsAReaderOfHisOwn() async throws {
        let sent = Mutex<[String: Int]>([:]), addresses = Mutex<[String: String]>([:])
        let server = try await LittleServer.start { _ in
            .init(greeting: [LittleServer.info]) { line in
                let words = line.split(separator: " ").map(String.init)
                if line == "PING" { return ["PONG\r\n"] }
                if words.count == 3, words[0] == "SUB" {
                    addresses.withLock { $0[String(words[1].dropLast(2))] = words[2] }
                }
                guard words.count == 4, words[0] == "PUB" else { return [] }
                if words[1].hasPrefix("$JS.API.CONSUMER.CREATE.") {
                    let info = #"{"config":{},"delivered":{"stream_seq":0},"num_pending":9,"num_ack_pending":0}"#
                    return ["MSG \(words[2]) 1 \(info.utf8.count)\r\n\(info)\r\n"]
                }
                guard words[1].hasPrefix("$JS.API.CONSUMER.MSG.NEXT.") else { return [] }
                // Each consumer begins with the first message.
                let number = sent.withLock { sent -> Int in
                    sent[words[1], default: 0] += 1
                    return sent[words[1]] ?? 0
                }
                let inbox = words[2].split(separator: ".").dropLast().joined(separator: ".")
                let sid = addresses.withLock { $0[inbox] ?? "" }
                return ["MSG s \(sid) $JS.ACK.s.c.1.\(number).\(number).1.0 1\r\nx\r\n"]
            }
        }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        try await driver.client.untilReady(within: .seconds(20))
        var read: [UInt64] = []
        for position in [1, 1, 2] as [UInt64] {
            let messages = try await driver.read("s", from: Position(position), limit: 1, within: .seconds(20))
            read += messages.map(\.position.number)
        }
        #expect(read == [1, 1, 2])
        // Who goes on has the reader that is there.
        #expect(sent.withLock { $0.values.sorted() } == [1, 2])
        await driver.close()
        await server.stop()
    }

    @Test func whatCameAndWasNotAskedForIsHandedBack() async throws {
        let address = Mutex("")
        let (server, client) = try await connected { _ in
            .init(greeting: [LittleServer.info]) { line in
                let words = line.split(separator: " ").map(String.init)
                if line == "PING" { return ["PONG\r\n"] }
                if words.count == 3, words[0] == "SUB", words[2] != "1" { address.withLock { $0 = words[2] } }
                guard words.count == 4, words[1].hasPrefix("$JS.API.CONSUMER.MSG.NEXT.") else { return [] }
                let sid = address.withLock { $0 }
                // One is asked for.
                return (1...2).map { "MSG s \(sid) $JS.ACK.s.g.1.\($0).\($0).1.0 1\r\nx\r\n" }
            }
        } options: {
            $0.heartbeat = .seconds(600)
        }
        let inbox = PullInbox(client, stream: "s", consumer: "g", deadline: .seconds(600))
        let pulled = try await inbox.pull(upTo: 1, within: .seconds(600))
        #expect(pulled.map(\.reply) == ["$JS.ACK.s.g.1.1.1.1.0"])
        try await eventually { server.lines.contains("-NAK") }
        #expect(server.lines.contains("PUB $JS.ACK.s.g.1.2.2.1.0 4"))
        await inbox.leave()
        await client.close()
        await server.stop()
    }

    /// A server that says of its third message in four that it had sent it.
    @Test func aReaderReturnsWhatCameBeforeAGapAndGoesOnThere() async throws {
        let consumers = Mutex(0), address = Mutex("")
        let server = try await LittleServer.start { _ in
            .init(greeting: [LittleServer.info]) { line in
                let words = line.split(separator: " ").map(String.init)
                if line == "PING" { return ["PONG\r\n"] }
                if words.count == 3, words[0] == "SUB", words[2] != "1" { address.withLock { $0 = words[2] } }
                guard words.count == 4, words[0] == "PUB" else { return [] }
                if words[1].hasPrefix("$JS.API.CONSUMER.CREATE.") {
                    consumers.withLock { $0 += 1 }
                    let info = #"{"config":{},"delivered":{"stream_seq":0},"num_pending":4,"num_ack_pending":0}"#
                    return ["MSG \(words[2]) 1 \(info.utf8.count)\r\n\(info)\r\n"]
                }
                guard words[1].hasPrefix("$JS.API.CONSUMER.MSG.NEXT.") else { return [] }
                let isFirst = consumers.withLock { $0 } == 1
                // Position, and which delivery it is.
                let sent = isFirst ? [(1, 1), (2, 2), (4, 4)] : [(3, 1), (4, 2)]
                let sid = address.withLock { $0 }
                return sent.map { position, number in
                    "MSG s \(sid) $JS.ACK.s.c.1.\(position).\(number).1.\(4 - position) 1\r\nx\r\n"
                }
            }
        }
        let driver = NATSDriver(try NATSClient.testing([server.url]))
        var read: [UInt64] = []
        while read.count < 4 {
            let next = Position((read.last ?? 0) + 1)
            let messages = try await driver.read("s", from: next, limit: 10, within: .seconds(20))
            try #require(!messages.isEmpty)
            read += messages.map(\.position.number)
        }
        #expect(read == [1, 2, 3, 4] && consumers.withLock { $0 } == 2)
        await driver.close()
        await server.stop()
    }
}

/// Adds what it is told to log, with its level.
private struct SeenLog: LogHandler {
    let told: Seen<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(_ told: Seen<String>) {
        self.told = told
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        told.add("\(event.level): \(event.message)")
    }
}

/// Says that any name has two addresses: one at which nobody listens, and another one.
private struct TwoAddresses: Resolver, Sendable {
    let loop: any EventLoop
    let last: String

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeCompletedFuture {
            [try SocketAddress(ipAddress: "127.0.0.2", port: port), try SocketAddress(ipAddress: last, port: port)]
        }
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        loop.makeSucceededFuture([])
    }

    func cancelQueries() {}
}

/// Greets and takes clients in, unasked.
private final class Greeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelActive(context: ChannelHandlerContext) {
        let info = LittleServer.info.replacing("\"max_payload\":1000", with: "\"max_payload\":1000000")
        context.writeAndFlush(NIOAny(ByteBuffer(string: info + "PONG\r\n")), promise: nil)
    }
}
