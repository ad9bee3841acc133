/// A few hundred bytes of elements on their way from one thread that writes to one that takes.
///
/// The two ends are values of their own, for each is its thread's alone. They count nothing: their holder does, by an
/// atomic word, and what has been counted may be taken. So memory follows what waits.
///
/// Guards: a slot, and `next`: who writes, up to the RMW that counts it or what comes behind it, then who takes.
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

    /// Where elements are written.
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

        /// Writes an element behind the last. It does not wait there before the holder has counted it.
        @inlinable
        @inline(__always)
        mutating func write(_ element: Element) {
            if written == Segment.capacity { lengthen() }
            (segment.slots + written).initialize(to: element)
            written &+= 1
        }

        /// Takes back what was written last and has not been counted.
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

    /// Where elements are taken.
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

        /// Takes the first element out. It must have been counted.
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
