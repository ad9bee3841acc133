/// A list in blocks of memory: however long it gets, growing moves none but its first elements.
///
/// It has no lock: its holder guards it. Elements leave it before they are released, so a `deinit` may come back to it.
struct BlockList<Element>: ~Copyable {
    private struct Block {
        /// Never touched while the capacity is 0.
        var memory = UnsafeMutablePointer<Element>(bitPattern: MemoryLayout<Element>.alignment).unsafelyUnwrapped
        var capacity = 0
        var count = 0

        func free() {
            if capacity > 0 { memory.deallocate() }
        }
    }

    private static var capacities: ClosedRange<Int> { 4...1024 }

    /// In order; only the last one has room.
    private var full: ContiguousArray<Block> = []
    private var last = Block()
    private(set) var count = 0

    deinit {
        for block in full + [last] {
            block.memory.deinitialize(count: block.count)
            block.free()
        }
    }

    var isEmpty: Bool { count == 0 }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if last.count == last.capacity { makeRoom() }
        (last.memory + last.count).initialize(to: element)
        last.count += 1
        count += 1
    }

    @inline(never)
    private mutating func makeRoom() {
        let (least, most) = (Self.capacities.lowerBound, Self.capacities.upperBound)
        let capacity = min(max(least, 2 * last.capacity), most)
        var next = Block(memory: .allocate(capacity: capacity), capacity: capacity)
        if last.capacity == most {
            full.append(last)
        } else {
            next.memory.moveInitialize(from: last.memory, count: last.count)
            next.count = last.count
            last.free()
        }
        last = next
    }

    /// Takes all elements out, in order.
    mutating func drain(_ body: (consuming Element) -> Void) {
        drainInPlace { body($0.move()) }
    }

    /// Lets go the elements for which that is so; the others keep their order.
    mutating func removeAll(where isUnwanted: (borrowing Element) -> Bool) {
        var kept = BlockList()
        drainInPlace { element in
            // Asked where it is: out of there, it would be counted once more.
            if isUnwanted(element.pointee) { element.deinitialize(count: 1) } else { kept.append(element.move()) }
        }
        swap(&self, &kept)
    }

    /// `take` takes the element out.
    private mutating func drainInPlace(_ take: (UnsafeMutablePointer<Element>) -> Void) {
        let blocks = full + [last]
        (full, last, count) = ([], Block(), 0)
        for block in blocks {
            for index in 0..<block.count { take(block.memory + index) }
            block.free()
        }
    }
}
