import RxSwift
import TestSupport
import Testing

struct PrimitiveSequenceConversionTests {
    @Test func asSingleWantsExactlyOneElement() {
        #expect(outcome("210:1 220|") { $0.asSingle() } == "220:1 220| (200: 220)")
        #expect(
            outcome("210:1 220:2 230|") { $0.asSingle() } == "220!Sequence contains more than one element. (200: 220)")
        #expect(outcome("210|") { $0.asSingle() } == "210!Sequence doesn't contain any elements. (200: 210)")
    }

    @Test func asMaybeWantsAtMostOneElement() {
        #expect(outcome("210:1 220|") { $0.asMaybe() } == "220:1 220| (200: 220)")
        #expect(outcome("210|") { $0.asMaybe() } == "210| (200: 210)")
        #expect(
            outcome("210:1 220:2 230|") { $0.asMaybe() } == "220!Sequence contains more than one element. (200: 220)")
    }

    @Test func firstEndsAtTheFirstElement() {
        #expect(outcome("210:1 220:2") { $0.first().map { $0 ?? -1 } } == "210:1 210| (200: 210)")
        #expect(outcome("210|") { $0.first().map { $0 ?? -1 } } == "210:-1 210| (200: 210)")
    }

    @Test func toArraySendsAllAtTheEnd() {
        #expect(outcome("210:1 220:2 230|") { $0.toArray() } == "230:[1, 2] 230| (200: 230)")
        #expect(outcome("210:1 220!") { $0.toArray() } == "220! (200: 220)")
    }

    @Test func asCompletableKeepsTheEnd() {
        #expect(seen(Observable.of(1, 2).ignoreElements().asCompletable()) == "| disposed")
    }
}
