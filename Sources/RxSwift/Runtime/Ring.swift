/// A first-in, first-out queue in one block of memory. The block doubles when it is full, and is freed when a long
/// queue becomes empty.
///
/// The object that contains the ring must protect it. An element leaves the ring before it is released, so a `deinit`
/// may use the ring again.
@usableFromInline
package struct Ring<Element>: ~Copyable {
    @usableFromInline
    var memory: UnsafeMutablePointer<Element>
    /// A power of two, or 0 while there is no memory.
    @usableFromInline
    var capacity = 0
    @usableFromInline
    var head = 0
    @usableFromInline
    package var count = 0

    @inlinable
    package init() {
        // The pointer is never dereferenced while the capacity is 0.
        memory = UnsafeMutablePointer(bitPattern: MemoryLayout<Element>.alignment).unsafelyUnwrapped
    }

    @inlinable
    deinit {
        guard capacity > 0 else { return }
        let first = Swift.min(count, capacity - head)
        (memory + head).deinitialize(count: first)
        memory.deinitialize(count: count - first)
        memory.deallocate()
    }

    @inlinable
    package var isEmpty: Bool { count == 0 }

    @inlinable
    package var first: Element? { count == 0 ? nil : memory[head] }

    @inlinable
    @inline(__always)
    package mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (memory + ((head &+ count) & (capacity &- 1))).initialize(to: element)
        count &+= 1
    }

    @inlinable
    @inline(__always)
    package mutating func removeFirst() -> Element {
        assert(count > 0, "an empty ring has no first element")
        let element = (memory + head).move()
        head = (head &+ 1) & (capacity &- 1)
        count &-= 1
        if count == 0 && capacity > 1024 { shrink() }
        return element
    }

    @usableFromInline
    package mutating func removeAll() -> [Element] {
        (0..<count).map { _ in removeFirst() }
    }

    @inlinable
    @inline(never)
    mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: Swift.max(capacity * 2, 4))
        let first = Swift.min(count, capacity - head)
        larger.moveInitialize(from: memory + head, count: first)
        (larger + first).moveInitialize(from: memory, count: count - first)
        if capacity > 0 { memory.deallocate() }
        memory = larger
        capacity = Swift.max(capacity * 2, 4)
        head = 0
    }

    @inlinable
    @inline(never)
    mutating func shrink() {
        memory.deallocate()
        capacity = 0
        head = 0
    }
}
