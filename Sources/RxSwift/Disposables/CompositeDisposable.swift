internal import CRxCore

/// Disposes of its disposables together, in the order of insertion.
///
/// Any thread may insert, remove and dispose. No lock is held while a disposable is disposed of or released. After the
/// disposal, an inserted disposable is disposed of at once. Each time the number of disposables has doubled, the
/// container releases each ``Cancelable`` that has been disposed of.
///
/// Guards: `lock` protects all state. *disposed* is set under the lock, and read without it.
public final class CompositeDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // see the guards above
    /// The key of a disposable in one container.
    public struct DisposeKey: Sendable {
        fileprivate let id: UInt
    }

    /// Entries are sorted by id, because ids increase. A removed entry stays, without its disposable, until the next
    /// compaction.
    private struct Entry {
        let id: UInt
        var disposable: (any _DisposableReference)?
    }

    private static let smallest = 16

    private var entries: ContiguousArray<Entry> = []
    private var nextID: UInt = 0
    private var living = 0
    private var sweepsAt = smallest
    private var isSweeping = false

    /// Makes an empty container.
    override public init() {}

    /// Makes a container with `disposable1` and `disposable2`.
    @inlinable
    public convenience init(_ disposable1: any Disposable, _ disposable2: any Disposable) {
        self.init(references: disposable1._reference, disposable2._reference)
    }

    /// Makes a container with `disposable1`, `disposable2` and `disposable3`.
    @inlinable
    public convenience init(_ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable)
    {
        self.init(references: disposable1._reference, disposable2._reference, disposable3._reference)
    }

    @usableFromInline
    init(
        references first: consuming any _DisposableReference, _ second: consuming any _DisposableReference,
        _ third: consuming (any _DisposableReference)? = nil
    ) {
        super.init()
        entries.reserveCapacity(third == nil ? 2 : 3)
        _ = append_locked(first)
        _ = append_locked(second)
        if let third { _ = append_locked(third) }
    }

    /// Makes a container with `disposable1`, `disposable2`, `disposable3`, `disposable4` and the further `disposables`.
    public init(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
        _ disposable4: any Disposable,
        _ disposables: any Disposable...
    ) {
        super.init()
        fill([disposable1, disposable2, disposable3, disposable4] + disposables)
    }

    /// Makes a container with `disposables`.
    public init(disposables: [any Disposable]) {
        super.init()
        fill(disposables)
    }

    deinit {
        if !entries.isEmpty { freeIteratively() }
    }

    override func give(to freed: inout FreedDisposables) {
        var given: ContiguousArray<Entry> = []
        lock.withLock { swap(&given, &entries) }
        // The loop uses `popLast` to drop the array's reference, because `freed` frees a nested container only if no
        // other reference is left.
        while let entry = given.popLast() { freed.take(entry.disposable) }
    }

    public var isDisposed: Bool { isMarkedDisposed }

    /// The number of disposables in the container.
    public var count: Int { lock.withLock { living } }

    /// Inserts a disposable. After the disposal, disposes of it at once.
    ///
    /// - Returns: the key for ``remove(for:)``; nil after the disposal.
    @inlinable
    public func insert(_ disposable: any Disposable) -> DisposeKey? {
        insert(reference: disposable._reference)
    }

    @usableFromInline
    func insert(reference: consuming any _DisposableReference) -> DisposeKey? {
        // Not `withLock`: a closure would retain the reference once more.
        crx_lock_acquire(lock)
        if isMarkedDisposed {
            crx_lock_release(lock)
            reference.dispose()
            return nil
        }
        let key = append_locked(reference)
        let isFull = entries.count >= sweepsAt
        crx_lock_release(lock)
        if isFull { sweep() }
        return key
    }

    /// Removes the disposable with the key, if present, and disposes of it.
    ///
    /// - Parameter disposeKey: from ``insert(_:)`` of this container. The key of another container may remove an
    ///   unrelated disposable.
    public func remove(for disposeKey: DisposeKey) {
        let removed: (any _DisposableReference)? = lock.withLock {
            guard let index = index_locked(of: disposeKey.id), let removed = entries[index].disposable.take() else {
                return nil
            }
            living -= 1
            compactIfSparse_locked()
            return removed
        }
        removed?.dispose()
    }

    public func dispose() {
        disposeIteratively()
    }

    public func _dispose(into worklist: inout _DisposalWorklist) {
        var taken: ContiguousArray<Entry> = []
        lock.withLock {
            guard markDisposed() else { return }
            living = 0
            swap(&taken, &entries)
        }
        // In reverse order, because the worklist starts with the disposable that was pushed last.
        while let entry = taken.popLast() {
            if let disposable = entry.disposable { worklist.push(disposable) }
        }
    }
}

extension CompositeDisposable {
    private func fill(_ disposables: [any Disposable]) {
        entries.reserveCapacity(disposables.count)
        for disposable in disposables { _ = append_locked(disposable._reference) }
        sweepsAt = max(Self.smallest, 2 * living)
    }

    private func append_locked(_ disposable: consuming any _DisposableReference) -> DisposeKey {
        let key = DisposeKey(id: nextID)
        nextID &+= 1
        living += 1
        entries.append(Entry(id: key.id, disposable: disposable))
        return key
    }

    private func index_locked(of id: UInt) -> Int? {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].id == id ? low : nil
    }

    /// Removes empty entries at the end or, if most entries are empty, everywhere. With this, the removal of a
    /// disposable takes amortised O(log n).
    private func compactIfSparse_locked() {
        while let last = entries.last, last.disposable == nil { entries.removeLast() }
        if entries.count > Self.smallest, entries.count > 2 * living {
            entries.removeAll { $0.disposable == nil }
        }
        sweepsAt = min(sweepsAt, max(Self.smallest, 2 * living))
    }

    /// Releases disposables that have been disposed of. `_isSpent` may call user code. So it is read without the lock,
    /// from a copy of the entries, on one thread at a time.
    private func sweep() {
        // A separate copy, although Swift would copy `entries` on write: ThreadSanitizer does not know the order that
        // reference counts enforce, and would report a race with an inserting thread.
        let snapshot: ContiguousArray<Entry>? = lock.withLock {
            guard !isSweeping, entries.count >= sweepsAt else { return nil }
            isSweeping = true
            return ContiguousArray(entries.lazy.filter { $0.disposable != nil })
        }
        guard let snapshot else { return }
        var spent: ContiguousArray<UInt> = []
        for entry in snapshot where entry.disposable?._isSpent ?? false { spent.append(entry.id) }

        var dropped: ContiguousArray<any _DisposableReference> = []
        dropped.reserveCapacity(spent.count)
        lock.withLock {
            isSweeping = false
            for id in spent {
                guard let index = index_locked(of: id), let disposable = entries[index].disposable.take() else {
                    continue
                }
                dropped.append(disposable)
            }
            living -= dropped.count
            entries.removeAll { $0.disposable == nil }
            sweepsAt = max(Self.smallest, 2 * living)
        }
    }
}
