/// The waiting jobs: a binary heap, ordered by time, then by the order of scheduling.
///
/// Only the current run changes the queue. The queue has no lock, because `precedes` calls a user's converter.
struct VirtualTimeQueue<Time> {
    typealias Item = VirtualTimeItem<Time>

    /// The children of item `i` are `2i + 1` and `2i + 2`; neither precedes item `i`.
    private(set) var items: [Item] = []

    private var sweepAt = VirtualTimeSweep.first
    private let precedes: (Item, Item) -> Bool

    init(precedes: @escaping (Item, Item) -> Bool) {
        self.precedes = precedes
    }

    /// Returns the next item. Removes disposed items before it.
    mutating func first() -> Item? {
        while let item = items.first {
            if !item.isDisposed { return item }
            removeFirst()
        }
        return nil
    }

    mutating func insert(_ item: Item) {
        if items.count >= sweepAt { sweep() }
        items.append(item)
        siftUp(from: items.count - 1)
    }

    mutating func removeFirst() {
        items.swapAt(0, items.count - 1)
        items.removeLast()
        siftDown(from: 0)
    }

    /// Removes disposed items, so that cancelled timers do not accumulate.
    private mutating func sweep() {
        items.removeAll { $0.isDisposed }
        for index in stride(from: items.count / 2 - 1, through: 0, by: -1) { siftDown(from: index) }
        sweepAt = VirtualTimeSweep.next(living: items.count)
    }

    private mutating func siftUp(from start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard precedes(items[index], items[parent]) else { return }
            items.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(from start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            guard left < items.count else { return }
            let right = left + 1
            let child = right < items.count && precedes(items[right], items[left]) ? right : left
            guard precedes(items[child], items[index]) else { return }
            items.swapAt(index, child)
            index = child
        }
    }
}

/// A list is swept when its length has doubled since the last sweep. The cost per item is O(1).
enum VirtualTimeSweep {
    static let first = 64

    static func next(living: Int) -> Int {
        max(first, 2 * living)
    }
}
