internal import CRxCore

/// Holds disposables and disposes of them, in the order of their insertion, when it is let go.
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
/// Any thread may insert. It disposes on the thread that lets it go. To dispose sooner, put a new bag in its place.
/// Each time the number of disposables has doubled, those that are disposed already (a ``Cancelable`` that says so) are
/// let go, so a bag that lives long holds about twice what is alive.
///
/// All state is guarded by `lock`; no lock is held while a disposable is disposed of or let go.
public final class DisposeBag: DisposeBase, @unchecked Sendable {  // because of the guard above
    private static let smallest = 16

    private var entries = BlockList<any _DisposableReference>()
    /// How many more it takes before it looks for what it can let go. While it does that it is not asked to again.
    private var untilSweep = smallest

    /// Makes an empty bag.
    override public init() {}

    deinit {
        // Nobody else has a reference, so nobody inserts. Each is let go while it is at hand.
        var agenda = _DisposalAgenda()
        entries.drain {
            $0._dispose(into: &agenda)
            agenda.run()
        }
    }

    /// Takes a disposable in.
    @inlinable
    public func insert(_ disposable: any Disposable) {
        insert(reference: disposable._reference)
    }

    // Not `withLock`, because a closure would count the reference once more.
    @usableFromInline
    func insert(reference: consuming any _DisposableReference) {
        crx_lock_acquire(lock)
        entries.append(reference)
        untilSweep &-= 1
        let isDue = untilSweep <= 0
        crx_lock_release(lock)
        if isDue { sweep() }
    }

    /// Lets go what is disposed already. Asking is a call-out, so the entries are moved out of the lock meanwhile, by
    /// one thread at a time; what others insert then comes behind them again.
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
            // What came meanwhile has been taken off.
            let count = kept + (.max - untilSweep)
            untilSweep = max(Self.smallest - count, count)
        }
    }
}

extension DisposeBag {
    /// Makes a bag that holds the disposables.
    public convenience init(disposing disposables: any Disposable...) {
        self.init()
        insert(disposables)
    }

    /// Makes a bag that holds the disposables of a block, each on a line of its own.
    ///
    /// - Parameter builder: the block.
    public convenience init(@DisposableBuilder builder: () -> [any Disposable]) {
        self.init(disposing: builder())
    }

    /// Makes a bag that holds the disposables.
    public convenience init(disposing disposables: [any Disposable]) {
        self.init()
        insert(disposables)
    }

    /// Takes the disposables in.
    public func insert(_ disposables: any Disposable...) {
        insert(disposables)
    }

    /// Takes the disposables of a block in, each on a line of its own.
    ///
    /// - Parameter builder: the block.
    public func insert(@DisposableBuilder builder: () -> [any Disposable]) {
        insert(builder())
    }

    /// Takes the disposables in.
    public func insert(_ disposables: [any Disposable]) {
        let references = disposables.map { $0._reference }
        let isDue = lock.withLock {
            for reference in references { entries.append(reference) }
            untilSweep &-= references.count
            return untilSweep <= 0
        }
        if isDue { sweep() }
    }

    /// Collects the disposables of a block.
    @resultBuilder
    public struct DisposableBuilder {
        /// The disposables of a block, in order.
        public static func buildBlock(_ disposables: any Disposable...) -> [any Disposable] {
            disposables
        }
    }
}

extension Disposable {
    /// Puts this disposable into a bag, which disposes of it when it is let go itself.
    @inlinable
    public func disposed(by bag: DisposeBag) {
        bag.insert(reference: _reference)
    }
}
