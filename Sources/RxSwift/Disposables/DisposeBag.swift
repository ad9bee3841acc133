internal import CRxCore

/// A container that disposes of its disposables when it is freed, in the order of insertion.
///
/// ```swift
/// final class Session {
///     private let bag = DisposeBag()
///
///     init(_ ticks: Observable<Int>) {
///         ticks.subscribe(onNext: show).disposed(by: bag)
///     }
/// }
/// ```
///
/// Any thread may insert. The thread that releases the last reference to the bag disposes of the disposables. To
/// dispose of them earlier, replace the bag. Each time the number of disposables has doubled, the bag releases each
/// ``Cancelable`` that has been disposed of.
///
/// Guards: `lock` protects all state. No lock is held while a disposable is disposed of or released.
public final class DisposeBag: DisposeBase, @unchecked Sendable {  // see the guards above
    private static let smallest = 16

    @exclusivity(unchecked)
    private var entries = BlockList<any _DisposableReference>()
    /// The number of insertions until the next sweep. Very large during a sweep, so no second sweep begins.
    private var untilSweep = smallest

    /// Makes an empty bag.
    override public init() {}

    deinit {
        // No other thread has a reference, so no lock is needed.
        var worklist = _DisposalWorklist()
        entries.drain {
            $0._dispose(into: &worklist)
            worklist.run()
        }
    }

    /// Inserts a disposable.
    @inlinable
    public func insert(_ disposable: any Disposable) {
        insert(reference: disposable._reference)
    }

    // Not `withLock`, because a closure would retain the reference once more.
    @usableFromInline
    func insert(reference: consuming any _DisposableReference) {
        crx_lock_acquire(lock)
        entries.append(reference)
        untilSweep &-= 1
        let isDue = untilSweep <= 0
        crx_lock_release(lock)
        if isDue { sweep() }
    }

    /// Releases disposables that have already been disposed of. `_isSpent` may call user code, so the entries are moved
    /// out and checked without the lock. Then the remaining entries are put back before the entries inserted during the
    /// check.
    private func sweep() {
        var swept = BlockList<any _DisposableReference>()
        lock.withLock {
            guard untilSweep <= 0 else { return }
            untilSweep = .max
            swap(&entries, &swept)
        }
        if swept.isEmpty { return }
        let kept = swept.removeAll { $0._isSpent }
        lock.withLock {
            swap(&entries, &swept)
            swept.drain { entries.append($0) }
            // `.max - untilSweep` disposables were inserted during the sweep.
            let count = kept + (.max - untilSweep)
            untilSweep = max(Self.smallest - count, count)
        }
    }
}

extension DisposeBag {
    /// Makes a bag with `disposables`.
    public convenience init(disposing disposables: any Disposable...) {
        self.init()
        insert(disposables)
    }

    /// Makes a bag with the disposables of the block `builder`, one on each line.
    public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
        self.init(disposing: builder())
    }

    /// Makes a bag with `disposables`.
    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        insert(disposables)
    }

    /// Inserts the disposables.
    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    /// Inserts the disposables of the block `builder`, one on each line.
    public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
        insert(builder())
    }

    /// Inserts the disposables.
    public func insert(_ disposables: [any Disposable]) {
        let references = disposables.map { $0._reference }
        let isDue = lock.withLock {
            for reference in references { entries.append(reference) }
            untilSweep &-= references.count
            return untilSweep <= 0
        }
        if isDue { sweep() }
    }

    /// Builds an array from the disposables of a block.
    @resultBuilder
    public struct DisposableBuilder {
        /// The disposables of a block, in order.
        public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] {
            disposables
        }
    }
}

extension Disposable {
    /// Inserts this disposable into a bag, which disposes of it when the bag is freed.
    @inlinable
    public func disposed(by bag: DisposeBag) {
        bag.insert(reference: _reference)
    }
}
