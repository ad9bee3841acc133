import RxSwiftExt
import TestSupport
import Testing

struct MaterializedEventsTests {
    @Test func elementsOfAMaterializedSequence() {
        outcome("--1-2-#") { $0.materialize().elements() }.expect("--1-2-|", subscribed: "^-----!")
    }

    @Test func nilIsAnElement() {
        #expect(seen(Observable<Int?>.of(nil, 1).materialize().elements()) == "nil Optional(1) completed")
    }

    @Test func errorsOfAMaterializedSequence() {
        outcome("--1---#") { $0.materialize().errors().map { "\($0)" } }.expect("------(a|)", subscribed: "^-----!")
        outcome("--1---|") { $0.materialize().errors().map { "\($0)" } }.expect("------|", subscribed: "^-----!")
    }
}
