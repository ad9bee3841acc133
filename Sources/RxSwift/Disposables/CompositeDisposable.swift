internal import CRxCore

/// Holds any number of disposables and disposes of them together, in the order of their insertion.
///
/// Any thread may insert, remove and dispose; no lock is held while a disposable is disposed of or let go. What is
/// inserted into a disposed one is disposed of at once. Each time the number of disposables has doubled, those that are
/// disposed already (a ``Cancelable`` that says so) are let go, so one that lives long holds about twice what is alive.
///
/// All state is guarded by `lock`; *disposed* is set under it and read without it.
public final class CompositeDisposable: DisposeBase, Cancelable, @unchecked Sendable {  // because of the guard above
    /// Names a disposable within the one it was inserted into. It is that one's alone: under the same key another
    /// ``CompositeDisposable`` may hold something else, which its `remove(for:)` would dispose of.
    public struct DisposeKey: Sendable {
        fileprivate let id: UInt
    }

    /// Ids only grow, so the entries are sorted by id whatever is removed. A removed entry is empty until the next
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

    /// Makes an empty one.
    override public init() {}

    /// Makes one that holds two disposables.
    ///
    /// - Parameters:
    ///   - disposable1: the first.
    ///   - disposable2: the second.
    @inlinable
    public convenience init(_ disposable1: any Disposable, _ disposable2: any Disposable) {
        self.init(references: disposable1._reference, disposable2._reference)
    }

    /// Makes one that holds three disposables.
    ///
    /// - Parameters:
    ///   - disposable1: the first.
    ///   - disposable2: the second.
    ///   - disposable3: the third.
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

    /// Makes one that holds all of the disposables.
    ///
    /// - Parameters:
    ///   - disposable1: the first.
    ///   - disposable2: the second.
    ///   - disposable3: the third.
    ///   - disposable4: the fourth.
    ///   - disposables: all others.
    public init(
        _ disposable1: any Disposable, _ disposable2: any Disposable, _ disposable3: any Disposable,
        _ disposable4: any Disposable,
        _ disposables: any Disposable...
    ) {
        super.init()
        fill([disposable1, disposable2, disposable3, disposable4] + disposables)
    }

    /// Makes one that holds all of the disposables.
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
        // Each is out of the buffer before the next is looked at: else the buffer would be its second owner.
        while let entry = given.popLast() { freed.take(entry.disposable) }
    }

    /// Whether `dispose()` has been called.
    public var isDisposed: Bool { isMarkedDisposed }

    /// How many disposables it holds.
    public var count: Int { lock.withLock { living } }

    /// Takes a disposable in, or disposes of it when this one is disposed.
    ///
    /// - Returns: what ``remove(for:)`` takes, or nil when this one is disposed.
    @inlinable
    public func insert(_ disposable: any Disposable) -> DisposeKey? {
        insert(reference: disposable._reference)
    }

    @usableFromInline
    func insert(reference: consuming any _DisposableReference) -> DisposeKey? {
        // Not `withLock`, because a closure would count the reference once more.
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

    /// Disposes of what was inserted under the key and lets it go; does nothing when it is gone already.
    ///
    /// - Parameter disposeKey: what ``insert(_:)`` of this one returned; one from elsewhere may name any of its
    ///   disposables.
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

    /// Disposes of everything that is held, in order, and of everything that will be inserted.
    public func dispose() {
        disposeIteratively()
    }

    public func _dispose(into agenda: inout _DisposalAgenda) {
        var taken: ContiguousArray<Entry> = []
        lock.withLock {
            guard markDisposed() else { return }
            living = 0
            swap(&taken, &entries)
        }
        // The last first, since each is put before those that wait.
        while let entry = taken.popLast() {
            if let disposable = entry.disposable { agenda.push(disposable) }
        }
    }
}

extension CompositeDisposable {
    /// For the initialisers: nobody else knows this object yet.
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

    /// Empty entries at the end go at once, all of them when they are the most: so a removal costs O(log n), amortised.
    private func compactIfSparse_locked() {
        while let last = entries.last, last.disposable == nil { entries.removeLast() }
        if entries.count > Self.smallest, entries.count > 2 * living {
            entries.removeAll { $0.disposable == nil }
        }
        sweepsAt = min(sweepsAt, max(Self.smallest, 2 * living))
    }

    /// Lets go what is disposed already. Asking is a call-out, so it is done on a copy, outside the lock, by one thread
    /// at a time.
    private func sweep() {
        // A buffer of its own: one that is shared would be changed in place by the thread that inserts once this thread
        // has given it up, and of the two only the reference count, which ThreadSanitizer does not see, would know the
        // order.
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
