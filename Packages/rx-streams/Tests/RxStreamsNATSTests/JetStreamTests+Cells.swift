import RxStreams
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    @Test(arguments: [(" b", 1), ("a", 2_048)])
    func messagesOnInvalidSubjectAreRefused(end: String, count: Int) async throws {
        let pattern = "a" + String(repeating: end, count: count)
        try await with { _ in
            LittleServer.good
        } run: { (server, driver) async throws in
            let ends = Seen<String>()
            let listening = driver.messages(on: pattern).subscribe(
                onError: { ends.add($0 is BrokerError ? "refused" : "\($0)") }, onCompleted: { ends.add("completed") })
            try await ends.wait { $0 == ["refused"] }
            #expect(!server.lines.contains { $0.hasPrefix("SUB a") })
            listening.dispose()
        }
    }

    @Test func storeWithOtherRevisionThrowsConflict() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                return Self.bucket(request) ?? [request.error(400, 10_071, "wrong last sequence: 7")]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.conflict) { _ = try await driver.store([1], in: "c", expecting: 6) }
        }
        let sent = asked.all.first { $0.subject == "$KV.rx-relays.c" }
        #expect(sent?.headers.contains("Nats-Expected-Last-Subject-Sequence: 6") == true)
    }

    private static func seventh(_ message: String) -> LittleServer.Script {
        LittleServer.asked { request in
            if request.subject.contains(".MSG.GET.") { return [request.answer(#"{"message":{"seq":7,\#(message)}}"#)] }
            if let answer = bucket(request) { return answer }
            return request.headers.contains("Nats-Expected-Last-Subject-Sequence: 7")
                ? [request.answer(#"{"stream":"KV_rx-relays","seq":8}"#)]
                : [request.error(400, 10_071, "wrong last sequence: 7")]
        }
    }

    @Test func storeOfFirstValueInDeletedCellSucceeds() async throws {
        try await with { _ in
            // `hdrs` contains the header `KV-Operation: DEL`, in Base64.
            Self.seventh(#""hdrs":"TkFUUy8xLjANCktWLU9wZXJhdGlvbjogREVMDQoNCg==""#)
        } run: { (_, driver) async throws in
            #expect(try await driver.store([1], in: "c", expecting: 0) == 8)
        }
    }

    @Test func storeOfFirstValueInUsedCellThrowsConflict() async throws {
        try await with { _ in
            Self.seventh(#""data":"AQI=""#)
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.conflict) { _ = try await driver.store([1], in: "c", expecting: 0) }
        }
    }

    @Test func firstRevisionOfCellIsOne() async throws {
        try await with { _ in
            LittleServer.asked { request in
                Self.bucket(request) ?? [request.answer(#"{"stream":"KV_rx-relays","seq":1}"#)]
            }
        } run: { (_, driver) async throws in
            #expect(try await driver.store([1], in: "c", expecting: nil) == 1)
        }
    }

    @Test func storeAfterBucketRemovalCreatesItAgain() async throws {
        let asked = Seen<String>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request.subject)
                if let answer = Self.bucket(request) { return answer }
                let isFirst = asked.all.filter { $0 == request.subject }.count == 1
                return [isFirst ? request.status("503") : request.answer(#"{"stream":"KV_rx-relays","seq":7}"#)]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.unavailable("JetStream does not answer")) {
                _ = try await driver.store([1], in: "c", expecting: nil)
            }
            #expect(try await driver.store([1], in: "c", expecting: nil) == 7)
        }
        #expect(asked.all.filter { $0 == "$JS.API.STREAM.INFO.KV_rx-relays" }.count == 2)
    }

    @Test(arguments: [
        (#""seq":7,"data":"AQI=""#, CellValue([1, 2], revision: 7)),
        (#""seq":7"#, CellValue([], revision: 7)),
        // `hdrs` contains the header `A: b`, in Base64.
        (#""seq":7,"hdrs":"TkFUUy8xLjANCkE6IGINCg0K","data":"AQI=""#, CellValue([1, 2], revision: 7)),
        // `hdrs` contains the header `KV-Operation: DEL`, in Base64.
        (#""seq":7,"hdrs":"TkFUUy8xLjANCktWLU9wZXJhdGlvbjogREVMDQoNCg==""#, nil),
    ])
    func loadReturnsLastValueUnlessDeleted(message: String, value: CellValue?) async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject.contains(".MSG.GET.")
                    ? [request.answer(#"{"message":{\#(message)}}"#)] : Self.bucket(request)
            }
        } run: { (_, driver) async throws in
            #expect(try await driver.load("c") == value)
        }
    }

    @Test(arguments: ["*", ">", "a b", "", "a\r\nPUB x 0"])
    func invalidCellNamesAreRefused(cell: String) async throws {
        try await with { _ in
            LittleServer.asked { request in Self.bucket(request) }
        } run: { (server, driver) async throws in
            let refused = BrokerError.refused("\(cell.debugDescription) is not a valid name of a cell")
            await #expect(throws: refused) { _ = try await driver.load(cell) }
            await #expect(throws: refused) { _ = try await driver.store([1], in: cell, expecting: nil) }
            #expect(!server.lines.contains { $0.hasPrefix("PUB") || $0.hasPrefix("HPUB") })
        }
    }

    @Test func bucketIsCreatedOnceWithOneValuePerCell() async throws {
        let asked = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                asked.add(request)
                if request.subject.contains(".CREATE.") { return [request.answer(Self.stream())] }
                return [request.error(404, 10_037, "no message found")]
            }
        } run: { (_, driver) async throws in
            for _ in 0..<2 { #expect(try await driver.load("c") == nil) }
        }
        #expect(
            asked.all.map(\.subject) == [
                "$JS.API.STREAM.INFO.KV_rx-relays", "$JS.API.STREAM.CREATE.KV_rx-relays",
                "$JS.API.STREAM.MSG.GET.KV_rx-relays", "$JS.API.STREAM.MSG.GET.KV_rx-relays",
            ])
        let body = asked.all.first { $0.subject.contains(".CREATE.") }?.body ?? ""
        for field in [
            #""allow_direct":false,"#, #""allow_rollup_hdrs":true,"#, #""deny_delete":true,"#, #""discard":"new","#,
            #""max_msgs_per_subject":1,"#, #""name":"KV_rx-relays","#,
        ] {
            #expect(body.contains(field), "\(field) in \(body)")
        }
    }

    @Test func storeErrorIsReported() async throws {
        try await with { _ in
            LittleServer.asked { request in
                Self.bucket(request) ?? [request.error(400, 10_077, "maximum bytes exceeded")]
            }
        } run: { (_, driver) async throws in
            await #expect(throws: BrokerError.refused("maximum bytes exceeded")) {
                _ = try await driver.store([1], in: "c", expecting: 6)
            }
        }
    }
}
