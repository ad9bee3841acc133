import Foundation
@testable import RxStreams
import RxSwift
import Testing

struct DeadLetterTests {
    private let pulled = PulledMessage(
        StoredMessage(Position(7), Date(timeIntervalSince1970: 1), NewMessage("orders", [1, 2])), attempt: 3,
        token: MessageToken("x"))

    private func readBack(isCut: Bool) throws -> DeadLetter {
        let why = String(repeating: "x", count: 2_000)
        let message = DeadLetter.message(
            pulled, why, stream: "orders", group: "g", to: "orders-dead", isCut: isCut,
            by: VirtualBroker(HistoricalScheduler()).driver)
        return try #require(DeadLetter(StoredMessage(Position(1), pulled.stored.time, message)))
    }

    @Test func deadLetterHasPayloadAndIsNotCut() throws {
        let letter = try readBack(isCut: false)
        #expect(!letter.isCut)
        #expect(letter.payload == [1, 2])
        #expect(letter.reason.count == 1_000)
    }

    @Test func cutDeadLetterHasNoPayloadAndShortReason() throws {
        let letter = try readBack(isCut: true)
        #expect(letter.isCut)
        #expect(letter.payload.isEmpty)
        #expect(letter.reason.count == 100)
    }
}
