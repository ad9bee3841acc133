import Dispatch
import RxStreams
import RxSwift
import Testing

struct SettingsTests {
    @Test(arguments: [
        StreamSettings(""), StreamSettings("a.b"), StreamSettings("a", subjects: []),
        StreamSettings("a", subjects: ["."]),
        StreamSettings("a", replicas: 0), StreamSettings("a", keeping: .last(0)),
        StreamSettings("a", keeping: .days(0)),
        StreamSettings("a", keeping: Retention(bytes: -1)), StreamSettings("a", duplicateWindow: .seconds(0)),
    ])
    func aStreamThatMakesNoSenseIsRefused(_ settings: StreamSettings) {
        #expect(throws: BrokerError.self) { try settings.check() }
    }

    @Test func aNameHasTwoHundredBytesAtMost() throws {
        try StreamSettings(String(repeating: "a", count: 200)).check()
        #expect(throws: BrokerError.self) { try StreamSettings(String(repeating: "a", count: 201)).check() }
    }

    @Test func aStreamHasItsNameForASubject() throws {
        let settings = StreamSettings("orders-1_A")
        try settings.check()
        #expect(settings.subjects == ["orders-1_A"])
    }

    @Test(arguments: [
        GroupSettings(""), GroupSettings("a b"), GroupSettings("a", deadline: .seconds(0)),
        GroupSettings("a", maxUnsettled: 0), GroupSettings("a", filter: "a..b"),
    ])
    func aGroupThatMakesNoSenseIsRefused(_ settings: GroupSettings) {
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
}
