internal import CRxCore

/// A list in blocks of memory: however long it gets, growing moves nothing.
///
/// It has no lock: its holder guards it.
struct BlockList<Element>: ~Copyable {
    /// What a block begins with; its elements stand behind.
    private struct Header {
        var next: Block?
    }

    private typealias Block = UnsafeMutablePointer<Header>

    /// The first block has room for two elements, each other for twice as many as the one before it, up to `largest`.
    private static var smallest: Int { 2 }
    /// As many as fit a kilobyte with the block's header and malloc's. To glibc, a longer piece is a large one: before
    /// it looks for one, it joins all small ones that are free, and each object after that is cut off anew.
    private static var largest: Int { (1000 - MemoryLayout<Header>.size) / MemoryLayout<Element>.stride }

    private static func capacity(after capacity: Int) -> Int { min(2 * capacity, largest) }

    private var first: Block?
    private var last: Block?
    /// How many elements the last block has, and has room for. All others are full.
    private var lastCount: Int32 = 0
    private var lastCapacity: Int32 = 0

    deinit {
        Self.drain(from: first, lastCount, reachingIn: false) { $0.deinitialize(count: 1) }
    }

    var isEmpty: Bool { first == nil }

    /// How many elements there are, which the blocks are asked for.
    var count: Int {
        var total = 0
        Self.forEachBlock(from: first, lastCount) { total += $1 }
        return total
    }

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

    /// Takes all elements out, in order. They leave the list first: to let one go may come back to it.
    ///
    /// - Parameter reachingIn: whether an element's first word is an object, which the body writes to. Its memory is
    ///   then asked for before it is needed. (A bag of 100 000, in a program that had run for a while: an eighth of the
    ///   time from the first insertion to the last disposal, on two cores of an EPYC.)
    mutating func drain(reachingIn: Bool = false, _ body: (consuming Element) -> Void) {
        let (first, lastCount) = (first, lastCount)
        (self.first, last, self.lastCount, lastCapacity) = (nil, nil, 0, 0)
        Self.drain(from: first, lastCount, reachingIn: reachingIn) { body($0.move()) }
    }

    /// Lets go the elements for which that is so; the others keep their order.
    ///
    /// - Returns: how many are left.
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

    /// Whether that is so for one of the elements in a sample: about one of each eight, wherever among them.
    ///
    /// - Parameter seed: where the first one is; after a sample in vain, another seed asks others.
    func sampleContains(seed: Int, where isWanted: (borrowing Element) -> Bool) -> Bool {
        // Weyl's sequence, of which the first three bits are the place.
        var (number, isFound) = (UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15, false)
        Self.forEachBlock(from: first, lastCount) { block, count in
            for start in stride(from: 0, to: count, by: 8) where !isFound {
                number &+= 0x9E37_79B9_7F4A_7C15
                let place = start + Int(number >> 61)
                if place < count { isFound = isWanted((Self.elements(of: block) + place).pointee) }
            }
        }
        return isFound
    }

    /// `take` takes an element out of its place.
    private static func drain(
        from first: Block?, _ lastCount: Int32, reachingIn: Bool, _ take: (UnsafeMutablePointer<Element>) -> Void
    ) {
        let ahead = 8
        assert(!reachingIn || MemoryLayout<Element>.size >= MemoryLayout<UnsafeRawPointer>.size)
        forEachBlock(from: first, lastCount) { block, count in
            var element = elements(of: block)
            let end = element + count
            if reachingIn { for near in element..<min(element + ahead, end) { crx_prefetch_pointee(near) } }
            while element < end {
                if reachingIn { crx_prefetch_pointee(min(element + ahead, end - 1)) }
                take(element)
                element += 1
            }
            block.deallocate()
        }
    }

    /// The body is told how many elements a block has, and may free it.
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
