/// The array that a buffer is filling.
@usableFromInline
struct BufferState<Element> {
    @usableFromInline
    let count: Int
    @usableFromInline
    var elements: [Element] = []
    /// The number of elements of the last array. If `count` limits arrays, the next one reserves as much capacity.
    @usableFromInline
    var usual = 0
    /// The number of arrays that have been taken.
    @usableFromInline
    var ended = 0

    @inlinable
    init(count: Int) {
        self.count = count
    }

    /// Adds an element. Returns whether the array is full.
    @inlinable
    mutating func append(_ element: Element) -> Bool {
        if elements.isEmpty && count > 0 { elements.reserveCapacity(usual) }
        elements.append(element)
        return elements.count == count
    }

    /// Removes the array and returns it.
    @inlinable
    mutating func take() -> [Element] {
        ended += 1
        usual = elements.count
        return exchange(&elements, with: [])
    }
}
