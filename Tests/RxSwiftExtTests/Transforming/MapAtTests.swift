import RxSwiftExt
import TestSupport
import Testing

struct MapAtTests {
    @Test func whatTheKeyPathLeadsToIsSent() {
        #expect(outcome("210:-1 220:20 230|") { $0.mapAt(\.magnitude) } == "210:1 220:20 230| (200: 230)")
    }
}
