import RxSwiftExt
import TestSupport
import Testing

struct ToSortedArrayTests {
    @Test func elementsComeInOrder() {
        #expect(outcome("210:2 220:3 230:1 240|") { $0.toSortedArray() } == "240:[1, 2, 3] 240| (200: 240)")
        #expect(
            outcome("210:2 220:3 230:1 240|") { $0.toSortedArray(ascending: false) } == "240:[3, 2, 1] 240| (200: 240)")
        #expect(outcome("240|") { $0.toSortedArray() } == "240:[] 240| (200: 240)")
    }

    @Test func theOrderMayBeGiven() {
        #expect(
            outcome("210:2 220:13 230:1 240|") { $0.toSortedArray { $0 % 10 < $1 % 10 } }
                == "240:[1, 2, 13] 240| (200: 240)")
    }
}
