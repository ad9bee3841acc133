import Testing

@testable import rx_stress

struct PageTests {
    @Test func itNamesMachineCommitSwiftAndDate() {
        #expect(
            Summary.example(["take"]).page().contains(
                "<p class=origin>commit abc, Swift 6.3.1, yesterday, a machine</p>"))
    }

    @Test func eachBandOfTheOverviewHasItsName() {
        let page = Summary.example(["take", "zip"]).page()
        for name in ["take", "zip"] { #expect(page.contains("y=-4>\(name)</text>")) }
    }

    @Test func pageShowsChangeSinceEarlierReport() {
        let page = Summary.example(["take"]).page(comparedWith: .example(["take"], operationsPerSecond: 500))
        #expect(page.contains("<td>400<small>-20 %</small>"))
        #expect(page.contains("compared with commit abc"))
    }
}
