import Testing

@testable import rx_vitals

struct OptionsTests {
    @Test func theFirstReadingMakesNoFrame() throws {
        #expect(try Options.parse(["--seconds", "3", "--every", "500"]).frames == 6)
        #expect(try Options.parse([]).frames == nil)
    }

    @Test(arguments: [
        ["--every", "5"], ["--every", "x"], ["--top", "-1"], ["--seconds", "0"], ["--seconds", "99999999999999999999"],
        ["--seconds"],
        ["--seconds", "1", "--every", "2000"], ["--nonsense"], ["more"],
    ])
    func aBadOptionIsOneLine(arguments: [String]) throws {
        guard case .wrong(let message) = CommandLineResult(arguments) else {
            Issue.record("accepted")
            return
        }
        #expect(!message.isEmpty && !message.contains("\n"))
    }

    @Test func helpIsNotAnError() {
        guard case .help(let text) = CommandLineResult(["--help"]) else {
            Issue.record("no help")
            return
        }
        #expect(text.contains("--every"))
    }
}
