/// A list in blocks of memory: however long it gets, growing moves none but its first elements.
///
/// It has no lock: its holder guards it. Elements leave it before they are released, so a `deinit` may come back to it.
struct BlockList<Element>: ~Copyable {
    /// How many elements a block has, but for the first as long as it is the only one: that begins with two, and
    /// doubles.
    private static var longest: Int { 1024 }

    /// In order, all but the last.
    private var full: ContiguousArray<UnsafeMutablePointer<Element>> = []
    /// The last block; null while there is none.
    private var last: UnsafeMutablePointer<Element>?
    private var lastCount: Int32 = 0
    private var lastCapacity: Int32 = 0

    deinit {
        for block in full { Self.free(block, Self.longest) }
        if let last { Self.free(last, Int(lastCount)) }
    }

    private static func free(_ block: UnsafeMutablePointer<Element>, _ count: Int) {
        block.deinitialize(count: count)
        block.deallocate()
    }

    var count: Int { full.count * Self.longest + Int(lastCount) }

    var isEmpty: Bool { count == 0 }

    @inline(__always)
    mutating func append(_ element: consuming Element) {
        if lastCount == lastCapacity { makeRoom() }
        (last.unsafelyUnwrapped + Int(lastCount)).initialize(to: element)
        lastCount += 1
    }

    @inline(never)
    private mutating func makeRoom() {
        let capacity = min(max(2, 2 * Int(lastCapacity)), Self.longest)
        let next = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
        if let last {
            if lastCapacity == Self.longest {
                full.append(last)
                lastCount = 0
            } else {
                next.moveInitialize(from: last, count: Int(lastCount))
                last.deallocate()
            }
        }
        last = next
        lastCapacity = Int32(capacity)
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
        let (full, last, lastCount) = (full, last, Int(lastCount))
        (self.full, self.last, self.lastCount, lastCapacity) = ([], nil, 0, 0)
        for block in full { Self.drain(block, Self.longest, take) }
        if let last { Self.drain(last, lastCount, take) }
    }

    private static func drain(
        _ block: UnsafeMutablePointer<Element>, _ count: Int, _ take: (UnsafeMutablePointer<Element>) -> Void
    ) {
        for index in 0..<count { take(block + index) }
        block.deallocate()
    }
}
