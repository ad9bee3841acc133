import RxSwift
import TestSupport
import Testing

struct PrimitiveSequenceConversionTests {
    @Test func asSingleWantsExactlyOneElement() {
        outcome("{10}1{9}|") { $0.asSingle() }.expect("{20}(1|)", subscribed: "^{19}!")
        outcome("{10}1{9}2{9}|") { $0.asSingle() }.expect(
            "{20}#", error: RxError.moreThanOneElement, subscribed: "^{19}!")
        outcome("{10}|") { $0.asSingle() }.expect("{10}#", error: RxError.noElements, subscribed: "^{9}!")
    }

    @Test func asMaybeWantsAtMostOneElement() {
        outcome("{10}1{9}|") { $0.asMaybe() }.expect("{20}(1|)", subscribed: "^{19}!")
        outcome("{10}|") { $0.asMaybe() }.expect("{10}|", subscribed: "^{9}!")
        outcome("{10}1{9}2{9}|") { $0.asMaybe() }.expect(
            "{20}#", error: RxError.moreThanOneElement, subscribed: "^{19}!")
    }

    @Test func firstEndsAtTheFirstElement() {
        outcome("{10}1{9}2") { $0.first().map { $0 ?? -1 } }.expect("{10}(1|)", subscribed: "^{9}!")
        outcome("{10}|") { $0.first().map { $0 ?? -1 } }.expect("{10}(a|)", values: ["a": -1], subscribed: "^{9}!")
    }

    @Test func toArraySendsAllAtTheEnd() {
        outcome("{10}1{9}2{9}|") { $0.toArray() }.expect("{30}(a|)", values: ["a": [1, 2]], subscribed: "^{29}!")
        outcome("{10}1{9}#") { $0.toArray() }.expect("{20}#", subscribed: "^{19}!")
    }

    @Test func asCompletableKeepsTheEnd() {
        #expect(seen(Observable.of(1, 2).ignoreElements().asCompletable()) == "| disposed")
    }
}
