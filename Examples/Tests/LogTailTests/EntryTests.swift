import LogTailModel
import Testing

@Suite struct EntryTests {
    @Test func aLineHasItsSecondAndItsStatus() {
        let line = "2026-11-22T18:20:01.123Z 203.0.113.7 GET /orders/4711 503 5"
        #expect(Entry(line: line) == Entry(second: 1_795_371_601, status: 503))
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00.000Z", 0), ("1999-12-31T23:59:59Z", 946_684_799), ("2000-02-29T00:00:00Z", 951_782_400),
        ("2000-03-01T00:00:00Z", 951_868_800), ("2100-03-01T00:00:00Z", 4_107_542_400),
    ])
    func secondsAreCountedOverLeapYears(time: String, second: Int) {
        #expect(Entry(line: "\(time) 203.0.113.7 GET / 200 5")?.second == second)
    }

    @Test(arguments: [
        "", "200", "2026-11-22T18:20:01Z 203.0.113.7 GET / 200", "2026-11-22T18:20:01Z 203.0.113.7 GET / ok 5",
        "2026-13-22T18:20:01Z 203.0.113.7 GET / 200 5", "2026-11-22 203.0.113.7 GET / 200 5",
        "2026-11-22T18:20:01Z 203.0.113.7 GET / 2000 5", "2026-11-22T18:20:01Z 203.0.113.7 GET / 200 5 6",
    ])
    func entryOfInvalidLineIsNil(line: String) {
        #expect(Entry(line: line) == nil)
    }
}
