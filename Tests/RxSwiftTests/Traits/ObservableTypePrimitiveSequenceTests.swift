import RxSwift
import TestSupport
import Testing

struct ObservableTypePrimitiveSequenceTests {
    @Test func asSingleWantsExactlyOneElement() {
        outcome("--1-|") { $0.asSingle() }.expect("----(1|)", subscribed: "^---!")
        outcome("--1-2-|") { $0.asSingle() }
            .expect("----#", error: RxError.moreThanOneElement, subscribed: "^---!")
        outcome("--|") { $0.asSingle() }.expect("--#", error: RxError.noElements, subscribed: "^-!")
    }

    @Test func errorAfterElementIsResult() {
        outcome("--1-#") { $0.asSingle() }.expect("----#", subscribed: "^---!")
        outcome("--1-#") { $0.asMaybe() }.expect("----#", subscribed: "^---!")
    }

    @Test func asMaybeWantsAtMostOneElement() {
        outcome("--1-|") { $0.asMaybe() }.expect("----(1|)", subscribed: "^---!")
        outcome("--|") { $0.asMaybe() }.expect("--|", subscribed: "^-!")
        outcome("--1-2-|") { $0.asMaybe() }
            .expect("----#", error: RxError.moreThanOneElement, subscribed: "^---!")
    }

    @Test func firstEndsAtTheFirstElement() {
        outcome("--1-2") { $0.first().map { $0 ?? -1 } }.expect("--(1|)", subscribed: "^-!")
        outcome("--|") { $0.first().map { $0 ?? -1 } }.expect("--(a|)", values: ["a": -1], subscribed: "^-!")
    }

    @Test func toArraySendsAllAtTheEnd() {
        outcome("--1-2-|") { $0.toArray() }.expect("------(a|)", values: ["a": [1, 2]], subscribed: "^-----!")
        outcome("--1-#") { $0.toArray() }.expect("----#", subscribed: "^---!")
    }

    @Test func asCompletableKeepsTheEnd() {
        #expect(seen(Observable.of(1, 2).ignoreElements().asCompletable()) == "| disposed")
    }
}
