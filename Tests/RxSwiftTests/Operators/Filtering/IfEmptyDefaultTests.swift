import RxSwift
import TestSupport
import Testing

struct IfEmptyDefaultTests {
    @Test func sendsTheDefaultWhereThereIsNoElement() {
        outcome("----|") { $0.ifEmpty(default: 7) }.expect("----(7|)", subscribed: "^---!")
    }

    @Test func sendsOnlyTheElementsWhereThereAreAny() {
        outcome("--1-|") { $0.ifEmpty(default: 7) }.expect("--1-|", subscribed: "^---!")
    }

    @Test func handsAnErrorOn() {
        outcome("----#") { $0.ifEmpty(default: 7) }.expect("----#", subscribed: "^---!")
    }
}
