import TestSupport
import Testing

@testable import RxSwift

@Suite struct BlockListTests {
    private func list(_ elements: some Sequence<Int>) -> BlockList<Int> {
        var list = BlockList<Int>()
        for element in elements { list.append(element) }
        return list
    }

    private func taken(_ list: inout BlockList<Int>) -> [Int] {
        var taken: [Int] = []
        list.drain { taken.append($0) }
        return taken
    }

    /// The lengths fill blocks, or exceed them by one element. The largest block has 124 elements.
    @Test(arguments: [0, 1, 2, 3, 6, 7, 126, 127, 250, 251, 5000]) func elementsComeOutInOrder(length: Int) {
        var list = list(0..<length)
        let isEmpty = list.isEmpty
        #expect(isEmpty == (length == 0))
        let taken = taken(&list)
        #expect(taken == Array(0..<length))
        let isEmptyThen = list.isEmpty
        #expect(isEmptyThen)
    }

    @Test func drainedListAcceptsElements() {
        var list = list(0..<1500)
        _ = taken(&list)
        list.append(7)
        let taken = taken(&list)
        #expect(taken == [7])
    }

    @Test(arguments: [0, 2, 4, 250, 3000], [0, 1, 2, 3, 6, 7, 126, 250, 3000])
    func remainingElementsKeepTheirOrder(length: Int, kept: Int) {
        var list = list(0..<length)
        let every = kept == 0 ? length + 1 : max(1, length / kept)
        let count = list.removeAll { $0 % every != every - 1 }
        let expected = (0..<length).filter { $0 % every == every - 1 }
        let isEmpty = list.isEmpty
        #expect(count == expected.count && isEmpty == expected.isEmpty)
        for element in 0..<130 { list.append(-element) }
        let taken = taken(&list)
        #expect(taken == expected + (0..<130).map { -$0 })
    }

    @Test(arguments: [1, 2, 3, 6, 7]) func removeAllLeavesOnlyRemainingElements(kept: Int) {
        var list = list(0..<3000)
        let count = list.removeAll { $0 >= kept }
        let taken = taken(&list)
        #expect(count == kept && taken == Array(0..<kept))
    }

    @Test func releasedListFreesElements() {
        let tracker = LifetimeTracker()
        do {
            var list = BlockList<LifetimeTracker.Tracked>()
            for value in 0..<1100 { list.append(tracker.make(value)) }
            let count = list.removeAll { $0.value < 100 }
            #expect(count == 1000 && tracker.live == 1000)
        }
        #expect(tracker.live == 0)
    }

    @Test func drainedElementIsHeldOnlyByClosure() {
        let tracker = LifetimeTracker()
        var list = BlockList<LifetimeTracker.Tracked>()
        for value in 0..<5 { list.append(tracker.make(value)) }
        var alive: [Int] = []
        list.drain { element in withExtendedLifetime(element) { alive.append(tracker.live) } }
        #expect(alive == [5, 4, 3, 2, 1])
    }
}
