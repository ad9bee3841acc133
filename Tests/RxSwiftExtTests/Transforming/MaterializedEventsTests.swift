import RxSwiftExt
import TestSupport
import Testing

struct MaterializedEventsTests {
    @Test func elementsOfAMaterializedSequence() {
        outcome("{10}1{9}2{9}#") { $0.materialize().elements() }.expect("{10}1{9}2{9}|", subscribed: "^{29}!")
    }

    @Test func nilIsAnElement() {
        #expect(seen(Observable<Int?>.of(nil, 1).materialize().elements()) == "nil Optional(1) completed")
    }

    @Test func errorsOfAMaterializedSequence() {
        outcome("{10}1{19}#") { $0.materialize().errors().map { "\($0)" } }.expect("{30}(a|)", subscribed: "^{29}!")
        outcome("{10}1{19}|") { $0.materialize().errors().map { "\($0)" } }.expect("{30}|", subscribed: "^{29}!")
    }
}
