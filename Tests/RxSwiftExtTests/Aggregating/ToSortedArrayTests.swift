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

    @Test(arguments: [true, false]) func equalElementsStayInTheirOrder(ascending: Bool) {
        struct Ranked: Comparable {
            let rank: Int
            let name: String

            static func == (left: Ranked, right: Ranked) -> Bool { left.rank == right.rank }

            static func < (left: Ranked, right: Ranked) -> Bool { left.rank < right.rank }
        }
        let source = Observable.of(("a", 1), ("b", 2), ("c", 1), ("d", 2)).map { Ranked(rank: $1, name: $0) }
        let names = source.toSortedArray(ascending: ascending).map { $0.map(\.name).joined() }
        #expect(seen(names.asObservable()) == (ascending ? "acbd" : "bdac") + " completed")
    }

    @Test func givenOrderIsUsed() {
        outcome("--2-a-1-|", values: ["a": 13]) { $0.toSortedArray { $0 % 10 < $1 % 10 } }
            .expect("--------(a|)", values: ["a": [1, 2, 13]], subscribed: "^-------!")
    }
}
