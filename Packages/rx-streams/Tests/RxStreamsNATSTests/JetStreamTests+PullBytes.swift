import RxSwift
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    private static let large = LittleServer.info.replacing("\"max_payload\":1000,", with: "\"max_payload\":1048576,")

    private static func bytes(_ pull: Request) -> Substring? {
        pull.body.split(separator: "\"max_bytes\":").dropFirst().first?.prefix { $0.isNumber }
    }

    @Test(arguments: [(3, nil), (4, "4194301"), (256, "4194301"), (Int.max, "4194301")])
    func pullOfManyMessagesLimitsBytes(count: Int, bytes: String?) async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked(info: Self.large) { request in
                pulls.add(request)
                return [request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: count, within: .seconds(600)) == [1])
            #expect(pulls.all.first.flatMap { Self.bytes($0) }.map(String.init) == bytes)
        }
    }

    @Test func pullFromServerWithSmallMaximumLimitsBytes() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked { request in
                pulls.add(request)
                return [request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 4, within: .seconds(600)) == [1])
            #expect(pulls.all.first.flatMap { Self.bytes($0) } == "4194301")
        }
    }

    /// A server answers with status 409 if the next message exceeds the byte limit.
    @Test(arguments: [RxTimeInterval.seconds(0), .seconds(600)], ["Nats-Pending-Messages: 99", "Colour: blue"])
    func pullOfMessageOverByteLimitRequestsItAlone(span: RxTimeInterval, field: String) async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked(info: Self.large) { request in
                pulls.add(request)
                return [
                    pulls.all.count == 2
                        ? request.delivery(1) : request.status("409 Message Size Exceeds MaxBytes", field)
                ]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 99, within: span) == [1])
            #expect(pulls.all.prefix(2).map { Self.bytes($0) } == ["4194301", nil])
            #expect(pulls.all.prefix(2).map { $0.body.contains(#""batch":1,"#) } == [false, true])
        }
    }

    @Test func pullAfterLargeMessageLimitsBytesAgain() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked(info: Self.large) { request in
                pulls.add(request)
                let end = request.status("409 Message Size Exceeds MaxBytes", "Nats-Pending-Messages: 99")
                return pulls.all.count == 1 ? [end] : [request.delivery(pulls.all.count)]
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(try await brought(by: member, upTo: 99, within: .seconds(0)) == [2])
            #expect(try await brought(by: member, upTo: 99, within: .seconds(0)) == [3])
            #expect(pulls.all.map { Self.bytes($0) } == ["4194301", nil, "4194301"])
            #expect(pulls.all.last?.body.contains(#""batch":99,"#) == true)
        }
    }

    @Test func pullOfLargeMessageRequestsNothingElse() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked(info: Self.large) { request in
                pulls.add(request)
                let end = request.status("409 Message Size Exceeds MaxBytes", "Nats-Pending-Messages: 99")
                return pulls.all.count == 1 ? [end] : []
            }
        } run: { (server, driver) async throws in
            let member = member(driver)
            let pull = Task { try await brought(by: member, upTo: 99, within: .seconds(600)) }
            let one = try await pulls.wait { $0.count == 2 }[1]
            try await driver.client.roundTrip(within: .seconds(20))
            try await server.say(one.delivery(1))
            #expect(try await pull.value == [1])
            let next = try await pulls.wait { $0.count >= 3 }[2]
            #expect(next.body.contains(#""batch":98,"#))
        }
    }

    @Test(arguments: [RxTimeInterval.seconds(0), .seconds(600)])
    func pullThatReachedByteLimitIsFollowedByEqualPull(span: RxTimeInterval) async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            LittleServer.asked(info: Self.large) { request in
                pulls.add(request)
                let end = request.status("409 Message Size Exceeds MaxBytes", "Nats-Pending-Messages: 8")
                return pulls.all.count == 1 ? [request.delivery(1, left: 1), end] : [request.delivery(2)]
            }
        } run: { (_, driver) async throws in
            let member = member(driver)
            #expect(try await brought(by: member, upTo: 9, within: span) == [1])
            #expect(try await brought(by: member, upTo: 9, within: span) == [2])
            #expect(pulls.all.prefix(2).map { Self.bytes($0) } == ["4194301", "4194301"])
        }
    }
}
