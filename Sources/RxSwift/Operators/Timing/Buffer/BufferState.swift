/// What a buffer knows.
@usableFromInline
struct BufferState<Element> {
    @usableFromInline
    let count: Int
    @usableFromInline
    var elements: [Element] = []
    /// How many elements the last span had: where they are bounded, the next one is given as much room, at once.
    @usableFromInline
    var usual = 0
    /// How many spans have ended.
    @usableFromInline
    var ended = 0

    @inlinable
    init(count: Int) {
        self.count = count
    }

    /// Takes an element; true where it fills the buffer.
    @inlinable
    mutating func append(_ element: Element) -> Bool {
        if elements.isEmpty && count > 0 { elements.reserveCapacity(usual) }
        elements.append(element)
        return elements.count == count
    }

    /// Ends the span.
    @inlinable
    mutating func take() -> [Element] {
        ended += 1
        usual = elements.count
        return exchange(&elements, with: [])
    }
}
