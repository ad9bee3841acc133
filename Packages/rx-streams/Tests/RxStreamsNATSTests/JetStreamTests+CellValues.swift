import NIOCore
import RxStreams
import Synchronization
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    private static func watched(_ deliver: @escaping @Sendable (Request) -> [String]) -> LittleServer.Script {
        let isSent = Mutex(false)
        return LittleServer.asked { request in
            if let answer = bucket(request) { return answer }
            if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { return [request.answer(consumer)] }
            guard request.subject.contains(".NEXT."), !isSent.withLock({ $0 }) else { return [] }
            isSent.withLock { $0 = true }
            return deliver(request)
        }
    }

    @Test func valuesOmitDeleteMarkersAndRepeats() async throws {
        try await with { connection in
            Self.watched { request in
                // The second consumer starts with the last value that was sent.
                if connection > 0 { return [request.delivery(5, number: 1, left: 1), request.delivery(6, number: 2)] }
                let mark = "NATS/1.0\r\nKV-Operation: DEL\r\n\r\n"
                let size = mark.utf8.count
                return [
                    request.delivery(3, number: 1, left: 2),
                    "HMSG s \(request.sid) $JS.ACK.s.g.1.4.2.1.1 \(size) \(size)\r\n\(mark)\r\n",
                    request.delivery(5, number: 3),
                ]
            }
        } run: { (server, driver) async throws in
            let revisions = Seen<UInt64>()
            let watching = driver.values(of: "c").subscribe(onNext: { revisions.add($0.revision) })
            try await revisions.wait { $0.count == 2 }
            await server.drop()
            try await revisions.wait { $0.last == 6 }
            #expect(revisions.all == [3, 5, 6])
            watching.dispose()
        }
    }

    /// Revisions restart after a power failure, or if the bucket was created again.
    @Test(arguments: [CellValue(Array("x".utf8), revision: 2), CellValue(Array("y".utf8), revision: 5)])
    func valuesContinueWhenRevisionsRestart(value: CellValue) async throws {
        let text = String(decoding: value.payload, as: UTF8.self)
        try await with { connection in
            Self.watched { request in
                if connection == 0 { return [request.delivery(5, number: 1)] }
                let delivery = request.delivery(Int(value.revision), number: 1)
                return [delivery.replacing("\r\nx\r\n", with: "\r\n\(text)\r\n")]
            }
        } run: { (server, driver) async throws in
            let values = Seen<CellValue>()
            let watching = driver.values(of: "c").subscribe(onNext: { values.add($0) })
            try await values.wait { $0.count == 1 }
            await server.drop()
            try await values.wait { $0.count == 2 }
            #expect(values.all == [CellValue(Array("x".utf8), revision: 5), value])
            watching.dispose()
        }
    }

    @Test func valuesAfterBucketRemovalCreateItAgain() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if let answer = Self.bucket(request) { return answer }
                guard request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") else { return [] }
                let isFirst = asked.all.filter { $0.hasPrefix("$JS.API.CONSUMER.CREATE.") }.count == 1
                return [isFirst ? request.error(404, 10_059, "stream not found") : request.answer(Self.consumer)]
            }
        } run: { (_, driver) async throws in
            let watching = driver.values(of: "c").subscribe()
            try await asked.wait { $0.contains { $0.contains(".NEXT.") } }
            watching.dispose()
        }
        #expect(asked.all.filter { $0 == "$JS.API.STREAM.INFO.KV_rx-relays" }.count == 2)
    }

    @Test func disposedValuesDeleteConsumer() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if let answer = Self.bucket(request) { return answer }
                return request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") ? [request.answer(Self.consumer)] : []
            }
        } run: { (_, driver) async throws in
            let watching = driver.values(of: "c").subscribe()
            try await asked.wait { $0.contains { $0.contains(".NEXT.") } }
            watching.dispose()
            try await asked.wait { $0.contains { $0.hasPrefix("$JS.API.CONSUMER.DELETE.") } }
        }
    }

    @Test func forbiddenValuesFailWithRefused() async throws {
        try await with { _ in
            LittleServer.asked { request in
                Self.bucket(request) ?? [request.error(403, 10_000, "not allowed")]
            }
        } run: { (_, driver) async throws in
            let ends = Seen<String>()
            let watching = driver.values(of: "c").subscribe(onError: { ends.add("\($0)") })
            try await ends.wait { $0 == ["the broker refused the operation: not allowed"] }
            watching.dispose()
        }
    }

    @Test func valuesUseOneConsumer() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                if let answer = Self.bucket(request) { return answer }
                return request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") ? [request.answer(Self.consumer)] : []
            }
        } run: { (server, driver) async throws in
            let revisions = Seen<UInt64>()
            let watching = driver.values(of: "c").subscribe(onNext: { revisions.add($0.revision) })
            let all = try await asked.wait { $0.contains { $0.subject.contains(".NEXT.") } }
            let pull = try #require(all.first { $0.subject.contains(".NEXT.") })
            try await server.say(pull.delivery(1))
            try await revisions.wait { $0 == [1] }
            try await server.say(pull.delivery(2))
            try await revisions.wait { $0 == [1, 2] }
            #expect(asked.all.filter { $0.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") }.count == 1)
            watching.dispose()
        }
    }

    @Test func valuesCompleteWhenBrokerIsClosed() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if let answer = Self.bucket(request) { return answer }
                return request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") ? [request.answer(Self.consumer)] : []
            }
        } run: { (_, driver) async throws in
            let ends = Seen<String>()
            let watching = driver.values(of: "c").subscribe(
                onError: { ends.add("\($0)") }, onCompleted: { ends.add("completed") })
            try await asked.wait { $0.contains { $0.contains(".NEXT.") } }
            await driver.close()
            try await ends.wait { $0 == ["completed"] }
            watching.dispose()
        }
    }

    /// The pauses double, from 50 ms.
    @Test func valuesOfUnreadableCellBackOff() async throws {
        let attempts = Seen<NIODeadline>()
        try await with { _ in
            LittleServer.asked { request in
                if let answer = Self.bucket(request) { return answer }
                if request.subject.hasPrefix("$JS.API.CONSUMER.CREATE.") { attempts.add(.now()) }
                return [request.error(500, 10_023, "insufficient resources")]
            }
        } run: { (_, driver) async throws in
            let watching = driver.values(of: "c").subscribe()
            let all = try await attempts.wait(10) { $0.count >= 5 }
            #expect(all[4] - all[0] >= .milliseconds(700))
            watching.dispose()
        }
    }
}
