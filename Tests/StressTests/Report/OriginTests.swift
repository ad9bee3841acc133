import Testing

@testable import rx_stress

struct OriginTests {
    @Test func originUsesEnvironmentOfScript() {
        let origin = Origin.here { ["RX_STRESS_COMMIT": "abc", "RX_STRESS_SWIFT": "6.3.1"][$0] }
        #expect(origin.words.hasPrefix("commit abc, Swift 6.3.1, 20"))
        #expect(origin.machine.contains("processor"))
    }

    @Test func originWithoutScriptIsUnknown() {
        #expect(Origin.here { _ in nil }.words.hasPrefix("an unknown commit, Swift of unknown version, 20"))
    }
}
