/// A list in small blocks of memory, each linked to the next: however long it gets, growing moves none but its first
/// elements, and asks for no large piece, for which glibc's malloc would first put together all that is free.
///
/// It has no lock: its holder guards it. Elements leave it before they are released, so a `deinit` may come back to it.
struct BlockList<Element>: ~Copyable {
    /// How many elements a block has, but for the first as long as it is the only one: that begins with two, and doubles.
    private static var most: Int { 32 }

    private var first: Block?
    private var last: Block?
    private(set) var count = 0

    deinit {
        Self.free(first, count) { $0.deinitialize(count: 1) }
    }

    var isEmpty: Bool { count == 0 }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if isFull { makeRoom() }
        last.unsafelyUnwrapped.element(count % Self.most).initialize(to: element)
        count += 1
    }

    /// Whether there is no room for one more.
    private var isFull: Bool {
        let isFirst = count < Self.most, isPowerOfTwo = count & (count - 1) == 0
        return isFirst ? isPowerOfTwo && count != 1 : count % Self.most == 0
    }

    @inline(never)
    private mutating func makeRoom() {
        let next = Block(capacity: min(max(2, 2 * count), Self.most))
        if let last, count < Self.most {
            next.element(0).moveInitialize(from: last.element(0), count: count)
            last.free()
            first = next
        } else if let last {
            last.link.initialize(to: next)
        } else {
            first = next
        }
        last = next
    }

    /// Takes all elements out, in order.
    mutating func drain(_ body: (consuming Element) -> Void) {
        drainInPlace { body($0.move()) }
    }

    /// Lets go the elements for which that is so; the others keep their order, and where all are kept, their place.
    mutating func removeAll(where isUnwanted: (borrowing Element) -> Bool) {
        guard contains(where: isUnwanted) else { return }
        var kept = BlockList()
        drainInPlace { element in
            // Asked where it is: out of there, it would be counted once more.
            if isUnwanted(element.pointee) { element.deinitialize(count: 1) } else { kept.append(element.move()) }
        }
        swap(&self, &kept)
    }

    private borrowing func contains(where isSought: (borrowing Element) -> Bool) -> Bool {
        var (next, left) = (first, count)
        while let block = next {
            for index in 0..<min(left, Self.most) where isSought(block.element(index).pointee) { return true }
            left -= Self.most
            next = left > 0 ? block.link.pointee : nil
        }
        return false
    }

    /// `take` takes the element out.
    private mutating func drainInPlace(_ take: (UnsafeMutablePointer<Element>) -> Void) {
        let (first, count) = (first, count)
        (self.first, last, self.count) = (nil, nil, 0)
        Self.free(first, count, take)
    }

    /// Frees the blocks, out of which `take` takes the elements.
    private static func free(_ first: Block?, _ count: Int, _ take: (UnsafeMutablePointer<Element>) -> Void) {
        var (next, left) = (first, count)
        while let block = next {
            for index in 0..<min(left, most) { take(block.element(index)) }
            left -= most
            next = left > 0 ? block.link.pointee : nil
            block.free()
        }
    }

    /// Memory for some elements, behind the address of the next block, which is set once there is one.
    private struct Block {
        private static var head: Int { max(MemoryLayout<Block>.size, MemoryLayout<Element>.alignment) }

        private let memory: UnsafeMutableRawPointer

        init(capacity: Int) {
            memory = .allocate(
                byteCount: Self.head + capacity * MemoryLayout<Element>.stride,
                alignment: max(MemoryLayout<Block>.alignment, MemoryLayout<Element>.alignment))
        }

        var link: UnsafeMutablePointer<Block> { memory.assumingMemoryBound(to: Block.self) }

        func element(_ index: Int) -> UnsafeMutablePointer<Element> {
            (memory + Self.head).assumingMemoryBound(to: Element.self) + index
        }

        func free() {
            memory.deallocate()
        }
    }
}
