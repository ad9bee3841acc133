@usableFromInline
struct BufferState<Element> {
    @usableFromInline
    let count: Int
    @usableFromInline
    var elements: [Element] = []
    /// The length of the last array, used as the capacity of the next.
    @usableFromInline
    var usual = 0
    @usableFromInline
    var ended = 0

    @inlinable
    init(count: Int) {
        self.count = count
    }

    @inlinable
    mutating func append(_ element: Element) -> Bool {
        if elements.isEmpty && count > 0 { elements.reserveCapacity(usual) }
        elements.append(element)
        return elements.count == count
    }

    @inlinable
    mutating func take() -> [Element] {
        ended += 1
        usual = elements.count
        return exchange(&elements, with: [])
    }
}
