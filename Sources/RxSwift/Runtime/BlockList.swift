/// A list of elements in blocks of memory. An append moves no other element. The object that contains the list must
/// protect it.
struct BlockList<Element>: ~Copyable {
    /// The elements of a block follow its header in memory.
    private struct Header {
        var next: Block?
    }

    private typealias Block = UnsafeMutablePointer<Header>

    /// The first block's capacity. Each further block has twice the capacity of the previous one, up to `largest`.
    private static var smallest: Int { 2 }
    /// The number of elements that fit into a kilobyte, with the headers of the block and of malloc. For a larger
    /// allocation, glibc merges all free small chunks, and must split them again for each small object.
    private static var largest: Int { (1000 - MemoryLayout<Header>.size) / MemoryLayout<Element>.stride }

    private static func capacity(after capacity: Int) -> Int { min(2 * capacity, largest) }

    private var first: Block?
    private var last: Block?
    /// The number of elements in the last block. All other blocks are full.
    private var lastCount: Int32 = 0
    private var lastCapacity: Int32 = 0

    deinit {
        Self.drain(from: first, lastCount) { $0.deinitialize(count: 1) }
    }

    var isEmpty: Bool { first == nil }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if lastCount == lastCapacity { makeRoom() }
        (Self.elements(of: last.unsafelyUnwrapped) + Int(lastCount)).initialize(to: element)
        lastCount &+= 1
    }

    @inline(never)
    private mutating func makeRoom() {
        let capacity = last == nil ? Self.smallest : Self.capacity(after: Int(lastCapacity))
        let size = MemoryLayout<Header>.size + capacity * MemoryLayout<Element>.stride
        let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: MemoryLayout<Header>.alignment)
            .initializeMemory(as: Header.self, to: Header(next: nil))
        if let last { last.pointee.next = block } else { first = block }
        (last, lastCount, lastCapacity) = (block, 0, Int32(capacity))
    }

    /// Passes all elements to `body`, in order. The list is emptied first, so `body` may append to it.
    mutating func drain(_ body: (consuming Element) -> Void) {
        let (first, lastCount) = (first, lastCount)
        (self.first, last, self.lastCount, lastCapacity) = (nil, nil, 0, 0)
        Self.drain(from: first, lastCount) { body($0.move()) }
    }

    /// Removes the elements that satisfy the predicate, preserving order. Returns the number of elements left.
    mutating func removeAll(where isUnwanted: (borrowing Element) -> Bool) -> Int {
        var (kept, left) = ((block: first, count: 0, capacity: Self.smallest), 0)
        Self.forEachBlock(from: first, lastCount) { block, count in
            let elements = Self.elements(of: block)
            for element in elements..<elements + count {
                if isUnwanted(element.pointee) {
                    element.deinitialize(count: 1)
                    continue
                }
                if kept.count == kept.capacity {
                    kept = (kept.block?.pointee.next, 0, Self.capacity(after: kept.capacity))
                }
                let place = Self.elements(of: kept.block.unsafelyUnwrapped) + kept.count
                if place != element { place.moveInitialize(from: element, count: 1) }
                kept.count += 1
                left += 1
            }
        }
        let emptied = kept.count == 0 ? first : kept.block?.pointee.next
        Self.forEachBlock(from: emptied, 0) { block, _ in block.deallocate() }
        if kept.count == 0 { (first, kept.block, kept.capacity) = (nil, nil, 0) }
        kept.block?.pointee.next = nil
        (last, lastCount, lastCapacity) = (kept.block, Int32(kept.count), Int32(kept.capacity))
        return left
    }

    /// Passes each element to `take`, which must leave the element's memory uninitialized. Frees each block after its
    /// last element.
    private static func drain(
        from first: Block?, _ lastCount: Int32, _ take: (UnsafeMutablePointer<Element>) -> Void
    ) {
        forEachBlock(from: first, lastCount) { block, count in
            let elements = elements(of: block)
            for element in elements..<elements + count { take(element) }
            block.deallocate()
        }
    }

    /// Passes each block to `body`, which may free the block.
    private static func forEachBlock(from first: Block?, _ lastCount: Int32, _ body: (Block, Int) -> Void) {
        var (block, capacity) = (first, smallest)
        while let current = block {
            block = current.pointee.next
            body(current, block == nil ? Int(lastCount) : capacity)
            capacity = Self.capacity(after: capacity)
        }
    }

    private static func elements(of block: Block) -> UnsafeMutablePointer<Element> {
        UnsafeMutableRawPointer(block + 1).assumingMemoryBound(to: Element.self)
    }
}
