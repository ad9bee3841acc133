import RxSwiftExt
import TestSupport
import Testing

struct ToSortedArrayTests {
    @Test func elementsComeInOrder() {
        outcome("{10}2{9}3{9}1{9}|") { $0.toSortedArray() }.expect(
            "{40}(a|)", values: ["a": [1, 2, 3]], subscribed: "^{39}!")
        outcome("{10}2{9}3{9}1{9}|") { $0.toSortedArray(ascending: false) }.expect(
            "{40}(a|)", values: ["a": [3, 2, 1]], subscribed: "^{39}!")
        outcome("{40}|") { $0.toSortedArray() }.expect("{40}(a|)", values: ["a": []], subscribed: "^{39}!")
    }

    @Test func theOrderMayBeGiven() {
        outcome("{10}2{9}a{9}1{9}|", values: ["a": 13]) { $0.toSortedArray { $0 % 10 < $1 % 10 } }.expect(
            "{40}(a|)", values: ["a": [1, 2, 13]], subscribed: "^{39}!")
    }
}
