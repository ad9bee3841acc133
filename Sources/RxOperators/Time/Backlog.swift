/// Elements with the times at which they came, oldest first.
struct Backlog<Element> {
    /// An element is nil once it has been removed.
    private var entries: [(time: Int, element: Element?)] = []
    /// The number of elements at the beginning that have been removed.
    private var removed = 0

    var elements: [Element] { entries[removed...].compactMap(\.element) }

    mutating func append(_ element: Element, at time: Int) {
        entries.append((time, element))
    }

    /// Removes the oldest element and returns it, if it came at `time` or earlier.
    mutating func removeFirst(upTo time: Int) -> Element? {
        guard removed < entries.count, entries[removed].time <= time else { return nil }
        let element = entries[removed].element.take()
        removed += 1
        // More than half of the entries have been removed, so the shift costs no more than the removals.
        if removed > entries.count / 2 {
            entries.removeFirst(removed)
            removed = 0
        }
        return element
    }
}
