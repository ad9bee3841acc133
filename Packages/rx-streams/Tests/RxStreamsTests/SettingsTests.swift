import Dispatch
import Foundation
import RxStreams
import RxSwift
import Testing

struct SettingsTests {
    @Test(arguments: [
        StreamSettings(""), StreamSettings("a.b"), StreamSettings("a", subjects: []),
        StreamSettings("a", subjects: ["."]),
        StreamSettings("a", replicas: 0), StreamSettings("a", keeping: .last(0)),
        StreamSettings("a", keeping: .days(0)), StreamSettings("a", keeping: .days(-1)),
        StreamSettings("a", keeping: .days(.min)),
        StreamSettings("a", keeping: Retention(bytes: -1)), StreamSettings("a", duplicateWindow: .seconds(0)),
    ])
    func invalidStreamIsRefused(_ settings: StreamSettings) {
        #expect(throws: BrokerError.self) { try settings.check() }
    }

    @Test(arguments: [["b", "b"], ["b.*", "b.c"], ["a", "b.c", "b.>"]])
    func streamWithOverlappingSubjectsIsRefused(_ subjects: [String]) {
        #expect(throws: BrokerError.self) { try StreamSettings("a", subjects: subjects).check() }
    }

    @Test func nameOverTwoHundredBytesIsRefused() throws {
        try StreamSettings(String(repeating: "a", count: 200)).check()
        let name = String(repeating: "a", count: 201)
        let error = #expect(throws: BrokerError.self) { try StreamSettings(name).check() }
        #expect(error?.description.hasSuffix("at most 200 in all") == true)
    }

    @Test func streamSubjectDefaultsToItsName() throws {
        let settings = StreamSettings("orders-1_A")
        try settings.check()
        #expect(settings.subjects == ["orders-1_A"])
    }

    @Test(arguments: [
        GroupSettings(""), GroupSettings("a b"), GroupSettings("a", deadline: .seconds(0)),
        GroupSettings("a", maxUnsettled: 0), GroupSettings("a", filter: "a..b"),
    ])
    func invalidGroupIsRefused(_ settings: GroupSettings) {
        #expect(throws: BrokerError.self) { try settings.check() }
    }

    @Test(arguments: [
        (RxTimeInterval.seconds(1), 1_000_000_000), (.milliseconds(2), 2_000_000), (.microseconds(3), 3_000),
        (.nanoseconds(4), 4), (.seconds(.max), 3_155_760_000_000_000_000), (.never, 3_155_760_000_000_000_000),
        (.seconds(.min), -3_155_760_000_000_000_000),
    ])
    func spansAreClamped(_ span: RxTimeInterval, _ nanoseconds: Int) {
        #expect(span.nanosecondsClamped == nanoseconds)
    }

    @Test func retentionByDaysDoesNotOverflow() throws {
        try StreamSettings("a", keeping: .days(.max)).check()
        #expect(Retention.days(2).age == .seconds(172_800))
    }

    @Test(arguments: [
        StreamSettings("a", replicas: 1), StreamSettings("a", keeping: .last(1)),
        StreamSettings("a", keeping: Retention(bytes: 1)), StreamSettings("a", keeping: .age(.nanoseconds(1))),
        StreamSettings("a", duplicateWindow: .nanoseconds(1)), StreamSettings("a", subjects: ["b", "c.>"]),
    ])
    func smallestValidStreamSettingsAreAccepted(_ settings: StreamSettings) {
        #expect(throws: Never.self) { try settings.check() }
    }

    @Test(arguments: [
        StreamSettings("a", subjects: ["b", "."]), StreamSettings("a", keeping: Retention(age: .seconds(-1))),
        StreamSettings("a", keeping: Retention(age: .seconds(1), count: 0, bytes: 1)),
        StreamSettings("a", keeping: Retention(count: 1, bytes: 0)), StreamSettings("a", duplicateWindow: .seconds(-1)),
    ])
    func eachOfSeveralSettingsIsChecked(_ settings: StreamSettings) {
        #expect(throws: BrokerError.self) { try settings.check() }
    }

    @Test(arguments: [
        GroupSettings("a", deadline: .nanoseconds(1)), GroupSettings("a", maxUnsettled: 1),
        GroupSettings("a", filter: "a.*"),
    ])
    func smallestValidGroupSettingsAreAccepted(_ settings: GroupSettings) {
        #expect(throws: Never.self) { try settings.check() }
    }

    @Test(arguments: ["a", "z", "A", "Z", "0", "9", "-", "_"]) func validNameCharactersAreAccepted(_ name: String) {
        #expect(throws: Never.self) { try StreamSettings(name).check() }
    }

    /// Most of these characters are neighbours of allowed characters in ASCII.
    @Test(arguments: ["`", "{", "@", "[", "/", ":", ",", ".", "^", " ", "é", "*", ">"])
    func invalidNameCharactersAreRefused(_ sign: String) {
        #expect(throws: BrokerError.self) { try StreamSettings("a\(sign)", subjects: ["a"]).check() }
    }

    @Test func positionIsEncodedAsNumberInJSON() throws {
        let positions = [Position(1), Position(.max)]
        let data = try JSONEncoder().encode(positions)
        #expect(String(decoding: data, as: UTF8.self) == "[1,\(UInt64.max)]")
        #expect(try JSONDecoder().decode([Position].self, from: data) == positions)
        #expect(positions.map(\.next) == [Position(2), Position(.max)] && positions[0] < positions[1])
        #expect("\(positions[0])" == "1")
    }

    @Test func lagIsWaitingPlusUnsettled() {
        #expect(GroupSummary(waiting: 3, unsettled: 4).lag == 7)
        #expect(GroupSummary(waiting: .max, unsettled: 1).lag == .max)
    }

    @Test(arguments: [
        (BrokerError.unavailable("x"), "the broker is unavailable: x"),
        (.refused("x"), "the broker refused the operation: x"),
        (.missing("x"), "there is no x"), (.conflict, "the cell has another revision than expected"),
        (.closed, "the broker has been closed"),
    ])
    func errorDescriptionsAreReadable(_ error: BrokerError, _ words: String) {
        #expect("\(error)" == words)
    }
}
