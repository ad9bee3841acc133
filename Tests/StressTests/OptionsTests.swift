import Testing

@testable import rx_stress

struct OptionsTests {
    @Test(arguments: ["10", "0.5", "1e3"]) func aNumberIsOneOfDigits(text: String) throws {
        #expect(try Options.parse(["--seconds", text]).seconds == Double(text))
    }

    @Test(arguments: ["--seconds", "--minutes", "--stall-limit"], ["0x10", "nan", "inf", "ten", "", "0", "-1"])
    func nonDecimalNumbersAreRejected(option: String, text: String) {
        #expect(throws: (any Error).self) { try Options.parse(["\(option)=\(text)"]) }
    }

    @Test(arguments: ["--report", "--compare"]) func aFolderWithoutANameIsRefused(option: String) {
        #expect(throws: (any Error).self) { try Options.parse([option, ""]) }
    }
}
