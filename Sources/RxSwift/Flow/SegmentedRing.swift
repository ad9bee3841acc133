/// First in, first out between one thread that writes and one that takes, in segments of a few hundred bytes: its
/// memory follows what waits.
///
/// It counts nothing: its holder does, by an atomic word, and takes only what has been counted.
///
/// Guards: `tail`, `written`: who writes. `head`, `taken`: who takes. A slot, and the `next` of a segment: who writes,
/// up to the RMW that counts it, then who takes.
@usableFromInline
struct SegmentedRing<Element>: ~Copyable {
    @usableFromInline
    final class Segment {
        @inlinable
        static var capacity: Int { max(2, 512 / max(8, MemoryLayout<Element>.stride)) }

        @usableFromInline
        let slots: UnsafeMutablePointer<Element>
        @usableFromInline
        @exclusivity(unchecked)
        var next: Segment?

        @inlinable
        init() {
            slots = .allocate(capacity: Segment.capacity)
        }

        @inlinable
        deinit {
            slots.deallocate()
        }
    }

    @usableFromInline
    var tail: Segment
    @usableFromInline
    var written = 0
    @usableFromInline
    var head: Segment
    @usableFromInline
    var taken = 0

    @inlinable
    init() {
        tail = Segment()
        head = tail
    }

    /// Writes an element behind the last. It does not wait there before its holder has counted it.
    @inlinable
    @inline(__always)
    mutating func write(_ element: Element) {
        if written == Segment.capacity { lengthen() }
        (tail.slots + written).initialize(to: element)
        written &+= 1
    }

    /// Takes back what was written last and has not been counted.
    @inlinable
    mutating func takeBack() -> Element {
        written &-= 1
        return (tail.slots + written).move()
    }

    /// Takes the first element out. It must have been counted.
    @inlinable
    @inline(__always)
    mutating func take() -> Element {
        if taken == Segment.capacity { shorten() }
        defer { taken &+= 1 }
        return (head.slots + taken).move()
    }

    @inlinable
    @inline(never)
    mutating func lengthen() {
        let segment = Segment()
        tail.next = segment
        tail = segment
        written = 0
    }

    @inlinable
    @inline(never)
    mutating func shorten() {
        head = head.next.take().unsafelyUnwrapped
        taken = 0
    }
}
