import RxSwiftExt
import TestSupport
import Testing

struct ToSortedArrayTests {
    @Test func elementsComeInOrder() {
        outcome("--2-3-1-|") { $0.toSortedArray() }
            .expect("--------(a|)", values: ["a": [1, 2, 3]], subscribed: "^-------!")
        outcome("--2-3-1-|") { $0.toSortedArray(ascending: false) }
            .expect("--------(a|)", values: ["a": [3, 2, 1]], subscribed: "^-------!")
        outcome("--------|") { $0.toSortedArray() }.expect("--------(a|)", values: ["a": []], subscribed: "^-------!")
    }

    @Test func theOrderMayBeGiven() {
        outcome("--2-a-1-|", values: ["a": 13]) { $0.toSortedArray { $0 % 10 < $1 % 10 } }
            .expect("--------(a|)", values: ["a": [1, 2, 13]], subscribed: "^-------!")
    }
}
