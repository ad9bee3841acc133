import Foundation
import RxStreams
import RxSwift
import Testing

struct CodecTests {
    struct Order: Codable, Equatable, Sendable {
        var id: String
        var at: Date
    }

    private let broker = VirtualBroker(HistoricalScheduler())

    private func kept<Element: Sendable>(
        _ element: Element, _ stream: DurableStream<Element>
    ) async throws -> (bytes: [UInt8]?, element: Element?) {
        for try await _ in Observable.just(element).publish(to: stream).values(buffering: .pausing(1)) {}
        let read = try await broker.driver.read(stream.name, from: Position(1), limit: 1, within: .seconds(1))
        var back: Element?
        for try await record in stream.replay(from: .beginning, live: false).values(buffering: .pausing(1)) {
            back = record.element
        }
        return (read.first?.message.payload, back)
    }

    @Test func jsonHasSortedKeysAndDatesInSeconds() throws {
        try broker.run {
            let order = Order(id: "a/b", at: Date(timeIntervalSince1970: 12.5))
            let kept = try await kept(order, broker.stream("orders", of: Order.self))
            #expect(kept.bytes.map { String(decoding: $0, as: UTF8.self) } == #"{"at":12.5,"id":"a/b"}"#)
            #expect(kept.element == order)
        }
    }

    @Test func bytesAndTextAreEncodedUnchanged() throws {
        try broker.run {
            let bytes = try await kept([0, 255], broker.stream("bytes", of: [UInt8].self, codec: .bytes))
            #expect(bytes.bytes == [0, 255])
            let text = try await kept("ä", broker.stream("text", of: String.self, codec: .utf8))
            #expect(text.bytes == [0xC3, 0xA4])
            #expect(text.element == "ä")
        }
    }

    @Test func invalidUTF8IsNoText() throws {
        try broker.run {
            let text = broker.stream("text", of: String.self, codec: .utf8)
            try await text.ensure()
            _ = try await broker.driver.append([NewMessage("text", [0xFF]), NewMessage("text", [65])], to: "text")
            var read: [String] = []
            for try await record in text.replay(from: .beginning, live: false).values(buffering: .pausing(1)) {
                read.append(record.element)
            }
            #expect(read == ["A"])
        }
    }
}
