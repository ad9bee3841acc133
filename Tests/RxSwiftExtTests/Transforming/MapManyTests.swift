import RxSwiftExt
import TestSupport
import Testing

struct MapManyTests {
    @Test func eachMemberIsTransformed() {
        #expect(
            outcome("210:2 220:0 230|") { $0.map { 0..<$0 }.mapMany { $0 * 10 } }
                == "210:[0, 10] 220:[] 230| (200: 230)")
    }

    @Test func aThrownErrorEndsIt() {
        let text = outcome("210:1 220:3 230:1") { $0.map { 0..<$0 }.mapMany { try passing($0, unless: 2, $0) } }
        #expect(text == "210:[0] 220!b (200: 220)")
    }
}
