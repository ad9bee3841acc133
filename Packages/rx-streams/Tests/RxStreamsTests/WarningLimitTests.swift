import RxStreams
import Testing

struct WarningLimitTests {
    private let start = ContinuousClock.now

    @Test func warningsOfOneKindBeyondTenAMinuteAreOmittedAndCounted() {
        let limit = WarningLimit()
        for _ in 0..<10 { #expect(limit.admit("a", at: start) == 0) }
        for _ in 0..<25 { #expect(limit.admit("a", at: start + .seconds(59)) == nil) }
        #expect(limit.admit("b", at: start + .seconds(59)) == 0)
        #expect(limit.admit("a", at: start + .seconds(60)) == 25)
        for _ in 0..<9 { #expect(limit.admit("a", at: start + .seconds(61)) == 0) }
        #expect(limit.admit("a", at: start + .seconds(62)) == nil)
    }

    @Test func numberOfKeptKindsIsLimited() {
        let limit = WarningLimit()
        for kind in 0..<1_024 { _ = limit.admit("\(kind)", at: start) }
        for _ in 0..<10 { _ = limit.admit("0", at: start) }
        #expect(limit.admit("0", at: start) == nil)
        // Exceeds the limit of 1,024 kinds, so all counts restart.
        #expect(limit.admit("new", at: start) == 0)
        #expect(limit.admit("0", at: start) == 0)
    }
}
