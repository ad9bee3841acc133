import RxSwiftExt
import TestSupport
import Testing

struct MaterializedEventsTests {
    @Test func elementsOfAMaterializedSequence() {
        #expect(outcome("210:1 220:2 230!") { $0.materialize().elements() } == "210:1 220:2 230| (200: 230)")
    }

    @Test func nilIsAnElement() {
        #expect(seen(Observable<Int?>.of(nil, 1).materialize().elements()) == "nil Optional(1) completed")
    }

    @Test func errorsOfAMaterializedSequence() {
        #expect(outcome("210:1 230!") { $0.materialize().errors() } == "230:a 230| (200: 230)")
        #expect(outcome("210:1 230|") { $0.materialize().errors() } == "230| (200: 230)")
    }
}
