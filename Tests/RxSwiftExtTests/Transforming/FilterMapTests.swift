import RxSwiftExt
import TestSupport
import Testing

struct FilterMapTests {
    @Test func elementsAreReplacedOrLeftOut() {
        let text = outcome("210:1 220:2 230:3 240|") { $0.filterMap { $0 == 2 ? .ignore : .map("\($0)!") } }
        #expect(text == "210:1! 230:3! 240| (200: 240)")
    }

    @Test func nilIsAResult() {
        #expect(
            outcome("210:1 220:2") { $0.filterMap { $0 == 1 ? .map(Int?.none) : .ignore } } == "210:nil (200: 1000)")
    }

    @Test func aThrownErrorEndsIt() {
        #expect(
            outcome("210:1 220:2") { $0.filterMap { .map(try passing($0, unless: 2, $0)) } } == "210:1 220!b (200: 220)"
        )
    }
}
