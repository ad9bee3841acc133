import NIOEmbedded
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    private func withReaders(
        run body: (LittleServer, ReaderCache, NIOAsyncTestingEventLoop, StreamReader, StreamReader) async throws -> Void
    ) async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") ? [request.answer(Self.consumer)] : []
            }
        } run: { (server, driver) async throws in
            let first = try await StreamReader.make(driver.client, "s", start: .position(Position(1)))
            let second = try await StreamReader.make(driver.client, "s", start: .position(Position(1)))
            let loop = NIOAsyncTestingEventLoop()
            do {
                try await body(server, ReaderCache(on: loop), loop, first, second)
            } catch {
                await loop.shutdownGracefully()
                throw error
            }
            await loop.shutdownGracefully()
        }
    }

    @Test func readerCacheFullEndsOldestReader() async throws {
        try await withReaders { server, readers, _, first, second in
            readers.put(first)
            for _ in 1...16 { readers.put(second) }
            try await eventually { server.lines.contains("PUB \(first.farewell.subject) 0") }
            #expect(readers.take("s", Position(1), looks: false) === second)
        }
    }

    @Test func readerUnusedIsEnded() async throws {
        try await withReaders { server, readers, loop, reader, _ in
            readers.put(reader)
            for _ in 0..<2 { await loop.advanceTime(by: ReaderCache.pause) }
            try await eventually { server.lines.contains("PUB \(reader.farewell.subject) 0") }
            #expect(readers.take("s", Position(1), looks: false) == nil)
        }
    }

    @Test func readerUsedOccasionallyIsKept() async throws {
        try await withReaders { _, readers, loop, reader, _ in
            for _ in 0..<4 {
                readers.put(reader)
                await loop.advanceTime(by: ReaderCache.pause)
                #expect(readers.take("s", Position(1), looks: false) === reader)
            }
        }
    }

    @Test func closeDeletesReadersOnServer() async throws {
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                return request.subject.contains(".NEXT.") ? [request.status("404 No Messages")] : []
            }
        } run: { (server, driver) async throws in
            _ = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(0))
            await driver.close()
            #expect(server.lines.contains { $0.hasPrefix("PUB $JS.API.CONSUMER.DELETE.s.") })
            #expect(driver.readers.take("s", Position(1), looks: true) == nil)
        }
    }

    @Test func readFailsAfterRepeatedConsumerLoss() async throws {
        let consumers = Mutex(0)
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") {
                    consumers.withLock { $0 += 1 }
                    // Ends the test if the client does not stop requesting consumers.
                    return consumers.withLock { $0 } > 40 ? nil : [request.answer(Self.consumer)]
                }
                return request.subject.contains(".NEXT.") ? [request.status("409 Consumer Deleted")] : []
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.self) {
                _ = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(20))
            }
            #expect(consumers.withLock { $0 } == 4)
        }
    }

    @Test func readerConsumerHasOneReplicaAndInactiveThreshold() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                return request.subject.contains(".NEXT.") ? [request.status("404 No Messages")] : []
            }
        } run: { (_, driver) async throws in
            _ = try await driver.read("s", from: Position(1), limit: 1, within: .seconds(0))
        }
        let body = asked.all.first?.body ?? ""
        for field in [
            #""ack_policy":"none","#, #""inactive_threshold":60000000000,"#, #""mem_storage":true,"#,
            #""num_replicas":1,"#, #""opt_start_seq":1,"#,
        ] {
            #expect(body.contains(field), "\(field) in \(body)")
        }
    }

    @Test func readerIsReusedWithinItsStreamOnly() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                if request.subject.contains(".NEXT.t.") { return [request.status("404 No Messages")] }
                guard request.subject.contains(".NEXT.s.") else { return [] }
                return [request.delivery(asked.all.filter { $0.contains(".NEXT.s.") }.count)]
            }
        } run: { (_, driver) async throws in
            for position in 1...2 as ClosedRange<UInt64> {
                let read = try await driver.read("s", from: Position(position), limit: 1, within: .seconds(20))
                #expect(read.map(\.position.number) == [position])
            }
            #expect(asked.all.filter { $0.hasPrefix("$JS.API.CONSUMER.CREATE.") }.count == 1)
            #expect(try await driver.read("t", from: Position(3), limit: 1, within: .seconds(0)).isEmpty)
            #expect(asked.all.contains { $0.hasPrefix("$JS.API.CONSUMER.CREATE.t.") })
        }
    }

    @Test func removedStreamForgetsOnlyItsReaders() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                if request.subject.hasPrefix("$JS.API.STREAM.DELETE.") {
                    return [request.answer(#"{"success":true}"#)]
                }
                return request.subject.contains(".NEXT.") ? [request.status("404 No Messages")] : []
            }
        } run: { (_, driver) async throws in
            for stream in ["s", "t"] {
                _ = try await driver.read(stream, from: Position(1), limit: 1, within: .seconds(0))
            }
            try await driver.remove(stream: "s")
            for stream in ["s", "t"] {
                _ = try await driver.read(stream, from: Position(1), limit: 1, within: .seconds(0))
            }
        }
        #expect(asked.all.filter { $0.hasPrefix("$JS.API.CONSUMER.CREATE.s.") }.count == 2)
        #expect(asked.all.filter { $0.hasPrefix("$JS.API.CONSUMER.CREATE.t.") }.count == 1)
    }
}
