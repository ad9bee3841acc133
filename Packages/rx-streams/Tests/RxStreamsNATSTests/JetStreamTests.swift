import RxStreams
import RxSwift
import Testing

@testable import RxStreamsNATS

@Suite(.serialized) struct JetStreamTests {
    typealias Request = LittleServer.Request

    static let consumer =
        #"{"config":{},"delivered":{"stream_seq":0},"num_pending":9,"num_ack_pending":0}"#

    static func stream(_ config: String = "", count: Int = 0, first: Int = 0, last: Int = 0) -> String {
        #"{"config":{\#(config)},"state":{"messages":\#(count),"first_seq":\#(first),"last_seq":\#(last)}}"#
    }

    /// - Parameter script: receives the number of a connection, from 0, and returns the connection's script.
    func with(
        _ script: @escaping @Sendable (Int) -> LittleServer.Script,
        options change: (inout NATSClient.Options) -> Void = { _ in },
        run body: (LittleServer, NATSDriver) async throws -> Void
    ) async throws {
        let server = try await LittleServer.start(script)
        let driver = NATSDriver(
            try NATSClient.testing([server.url]) {
                ($0.heartbeat, $0.requestTimeout) = (.seconds(600), .seconds(20))
                change(&$0)
            })
        do {
            try await driver.client.untilReady(within: .seconds(20))
            try await body(server, driver)
        } catch {
            await driver.close()
            await server.stop()
            throw error
        }
        await driver.close()
        await server.stop()
    }

    func member(_ driver: NATSDriver, deadline: RxTimeInterval = .seconds(600)) -> NATSMember {
        let member = NATSMember(driver, stream: "s", group: GroupSettings("g", deadline: deadline))
        _ = driver.add(member)
        return member
    }

    static func pulled(
        into pulls: Seen<Request>, answer: @escaping @Sendable (Request) -> [String]? = { _ in [] }
    ) -> LittleServer.Script {
        LittleServer.asked { request in
            guard request.subject.contains(".NEXT.") else { return [] }
            pulls.add(request)
            return answer(request)
        }
    }

    func positions(_ messages: [PulledMessage]) -> [UInt64] { messages.map(\.stored.position.number) }

    static let group =
        #"{"config":{"ack_policy":"explicit","ack_wait":30000000000,"max_ack_pending":10000},"#
        + #""delivered":{"stream_seq":0},"num_pending":0,"num_ack_pending":0}"#

    /// Returns the positions of the pulled messages. A pull that does not end is cancelled.
    func brought(by member: NATSMember, upTo count: Int, within span: RxTimeInterval) async throws -> [UInt64] {
        let ends = Seen<[UInt64]>()
        let pulling = Task { ends.add(positions(try await member.pull(upTo: count, within: span))) }
        defer { pulling.cancel() }
        return try await ends.wait { !$0.isEmpty }.first ?? []
    }

    /// Returns the answer of a server that has the bucket; nil for other requests.
    static func bucket(_ request: Request) -> [String]? {
        request.subject.hasPrefix("$JS.API.STREAM.") ? [request.answer(stream())] : nil
    }
}
