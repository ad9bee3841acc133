import RxSwiftExt
import TestSupport
import Testing

struct IgnoreTests {
    @Test func theValuesAreLeftOut() {
        outcome("--1-2-3-|") { $0.ignore(1, 3) }.expect("----2---|", subscribed: "^-------!")
        outcome("--1-2-#") { $0.ignore(1) }.expect("----2-#", subscribed: "^-----!")
    }

    @Test func theValuesMayBeAnySequence() {
        outcome("--1-2-3-|") { $0.ignore(2...9) }.expect("--1-----|", subscribed: "^-------!")
        outcome("--1-2-3-|") { $0.ignore(Set([1, 2])) }.expect("------3-|", subscribed: "^-------!")
    }
}
