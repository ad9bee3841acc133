/// A block of about 512 bytes of elements. One thread writes the elements, and another thread takes them.
///
/// Guards: the writer owns a slot until the queue's atomic count includes it, and `next` until the count includes a
/// slot of the next segment. Then the reader owns them.
@usableFromInline
final class Segment<Element> {
    @inlinable
    static var capacity: Int { max(2, 512 / max(8, MemoryLayout<Element>.stride)) }

    @usableFromInline
    let slots: UnsafeMutablePointer<Element>
    @usableFromInline
    var next: Segment<Element>?

    @inlinable
    init() {
        slots = .allocate(capacity: Segment.capacity)
    }

    @inlinable
    deinit {
        slots.deallocate()
    }

    @usableFromInline
    struct Tail {
        @usableFromInline
        var segment: Segment<Element>
        @usableFromInline
        var written = 0

        @inlinable
        init(_ segment: Segment<Element>) {
            self.segment = segment
        }

        @inlinable
        @inline(__always)
        mutating func write(_ element: Element) {
            if written == Segment.capacity { lengthen() }
            (segment.slots + written).initialize(to: element)
            written &+= 1
        }

        /// Removes the last written element. The count of the queue must not include it yet.
        @inlinable
        mutating func takeBack() -> Element {
            written &-= 1
            return (segment.slots + written).move()
        }

        @inlinable
        @inline(never)
        mutating func lengthen() {
            let longer = Segment()
            segment.next = longer
            segment = longer
            written = 0
        }
    }

    @usableFromInline
    struct Head {
        @usableFromInline
        var segment: Segment<Element>
        @usableFromInline
        var taken = 0

        @inlinable
        init(_ segment: Segment<Element>) {
            self.segment = segment
        }

        @inlinable
        @inline(__always)
        mutating func take() -> Element {
            if taken == Segment.capacity { shorten() }
            defer { taken &+= 1 }
            return (segment.slots + taken).move()
        }

        @inlinable
        @inline(never)
        mutating func shorten() {
            segment = segment.next.take().unsafelyUnwrapped
            taken = 0
        }
    }
}
