import RxSwiftExt
import TestSupport
import Testing

struct IgnoreTests {
    @Test func theValuesAreLeftOut() {
        outcome("{10}1{9}2{9}3{9}|") { $0.ignore(1, 3) }.expect("{20}2{19}|", subscribed: "^{39}!")
        outcome("{10}1{9}2{9}#") { $0.ignore(1) }.expect("{20}2{9}#", subscribed: "^{29}!")
    }

    @Test func theValuesMayBeAnySequence() {
        outcome("{10}1{9}2{9}3{9}|") { $0.ignore(2...9) }.expect("{10}1{29}|", subscribed: "^{39}!")
        outcome("{10}1{9}2{9}3{9}|") { $0.ignore(Set([1, 2])) }.expect("{30}3{9}|", subscribed: "^{39}!")
    }
}
