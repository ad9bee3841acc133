import Foundation
import RxStreams
import RxSwift
import Testing

@testable import RxStreamsNATS

extension JetStreamTests {
    @Test func messageWithStatusHeaderIsDelivered() async throws {
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                let block = "NATS/1.0 404 Not Here\r\n\r\n"
                let size = block.utf8.count
                return ["HMSG s \(request.sid) $JS.ACK.s.g.1.1.1.1.0 \(size) \(size + 1)\r\n\(block)x\r\n"]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 1, within: .seconds(600)) == [1])
        }
    }

    /// Only the reply subject shows that the message is not a server status.
    @Test(arguments: ["100 Idle Heartbeat", "404 No Messages", "408 Request Timeout", "409 Consumer Deleted", "503"])
    func emptyMessageWithStatusPulledIsDelivered(status: String) async throws {
        try await with { _ in
            LittleServer.asked { request in
                request.subject.contains(".NEXT.") ? [request.delivery(1, status: status)] : []
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 1, within: .seconds(600)) == [1])
        }
    }

    @Test func emptyMessageWithStatusIsReadAndSoIsTheNext() async throws {
        try await with { _ in
            LittleServer.asked { request in
                if request.subject.contains(".CONSUMER.CREATE.") { return [request.answer(Self.consumer)] }
                guard request.subject.contains(".NEXT.") else { return [] }
                return [request.delivery(1, status: "100 Idle", left: 1), request.delivery(2)]
            }
        } run: { (_, driver) async throws in
            let read = try await driver.read("s", from: Position(1), limit: 2, within: .seconds(20))
            #expect(read.map(\.position.number) == [1, 2])
        }
    }

    @Test func positionWithoutNextOneDoesNotTrap() async throws {
        let most = UInt64.max
        try await with { _ in
            LittleServer.asked { request in
                [
                    request.subject.contains(".STREAM.INFO.")
                        ? request.answer(
                            #"{"config":{},"state":{"messages":1,"first_seq":1,"last_seq":\#(most)}}"#)
                        : request.answer(
                            #"{"config":{},"delivered":{"stream_seq":\#(most)},"num_pending":0,"num_ack_pending":0}"#)
                ]
            }
        } run: { (_, driver) async throws in
            #expect(try await driver.locate(.end, in: "s") == Position(most))
            #expect(try await driver.locate(.time(RxTime()), in: "s") == Position(most))
        }
        #expect(DeliveryTrace("$JS.ACK.s.g.1.\(most).1.1.0") == nil)
    }

    @Test func numberOfPendingMessagesBelowZeroCountsAsZero() async throws {
        let pulls = Seen<Request>()
        try await with { _ in
            Self.pulled(into: pulls) { request in
                [request.status("408 Request Timeout", "Nats-Pending-Messages: \(Int.min)"), request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 1, within: .seconds(600)) == [1])
        }
    }

    @Test func pulledMessageOfNoConsumerIsIgnored() async throws {
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                return ["MSG \(request.reply) \(request.sid) elsewhere 1\r\nx\r\n", request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            #expect(try await member(driver).pull(upTo: 1, within: .seconds(600)).map(\.stored.position.number) == [1])
        }
    }

    @Test func flowControlRequestIsNotDelivered() async throws {
        try await with { _ in
            LittleServer.asked { request in
                guard request.subject.contains(".NEXT.") else { return [] }
                let block = "NATS/1.0 100 FlowControl Request\r\n\r\n"
                let size = block.utf8.count
                let sign = "HMSG \(request.reply) \(request.sid) $JS.FC.s.g \(size) \(size)\r\n\(block)\r\n"
                return [sign, request.delivery(1)]
            }
        } run: { (_, driver) async throws in
            #expect(try await brought(by: member(driver), upTo: 1, within: .seconds(600)) == [1])
        }
    }

    @Test(arguments: ["", "{}", #"{"a":1}"#, #""seq""#, #"{"seq""#, #"{"seq":"#, #"{"seq": "#, #"{"seq": }"#])
    func malformedPublishAnswerIsNil(text: String) {
        #expect(PublishAnswer(Array(text.utf8)) == nil)
    }

    @Test func publishAnswerPositionHasAtMostNineteenDigits() {
        #expect(PublishAnswer(Array(#"{"seq":7"#.utf8))?.position == 7)
        let most: UInt64 = 9_999_999_999_999_999_999
        #expect(PublishAnswer(Array(#"{"seq":99999999999999999999}"#.utf8))?.position == most)
    }

    @Test func deliverySubjectIgnoresTrailingTokens() {
        let reply = "$JS.ACK.hub.acc.s.c.2.7.9.1.3"
        let trace = DeliveryTrace(reply + String(repeating: ".9", count: 200))
        #expect(trace == DeliveryTrace(reply))
        #expect(trace?.position == 7)
    }

    @Test func flowControlSubjectIsNoDelivery() {
        #expect(DeliveryTrace("$JS.FC.s.g.1.7.7.1.0") == nil)
    }

    @Test func timeOfWholeSecondsIsExact() {
        for seconds in [1, 1_700_000_000] as [UInt64] {
            let time = JetStream.time(nanoseconds: seconds * 1_000_000_000)
            #expect(time == Date(timeIntervalSince1970: Double(seconds)))
        }
    }
}
