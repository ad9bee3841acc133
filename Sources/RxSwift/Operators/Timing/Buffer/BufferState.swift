/// What a buffer knows.
@usableFromInline
struct BufferState<Element> {
    private let count: Int
    private var elements: [Element] = []
    /// How many spans have ended.
    @usableFromInline
    private(set) var ended = 0

    @usableFromInline
    init(count: Int) {
        self.count = count
    }

    /// Takes an element; true where it fills the buffer.
    mutating func append(_ element: Element) -> Bool {
        elements.append(element)
        return elements.count == count
    }

    /// Ends the span.
    mutating func take() -> [Element] {
        ended += 1
        let taken = elements
        elements = []
        return taken
    }
}
