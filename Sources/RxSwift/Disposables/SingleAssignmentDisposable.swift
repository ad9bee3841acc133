internal import CRxCore

/// Holds one disposable that is assigned once, before or after the disposal.
///
/// Any thread may assign and dispose. After the disposal, an assigned disposable is disposed of at once.
///
/// Bits of the word: 0 *disposed*, 1 *assigned*, 2 *being assigned*. The thread that sets the later of *disposed* and
/// *assigned* disposes of `held`.
///
/// Guards: `held` is written only by the thread that set *being assigned*. Then only the thread that disposes of `held`
/// uses it.
// @unchecked Sendable because of these guards.
public final class SingleAssignmentDisposable: DisposeBase, Cancelable, @unchecked Sendable {
    private static let disposed: UInt = 1
    private static let assigned: UInt = 2
    private static let beingAssigned: UInt = 4

    private var held: (any _DisposableReference)?

    /// Makes an empty holder.
    override public init() {}

    deinit {
        if held != nil { freeIteratively() }
    }

    override func give(to freed: inout FreedDisposables) {
        let old = setBits(Self.disposed)
        if old & Self.disposed == 0, old & Self.assigned != 0 { freed.take(held.take()) }
    }

    public var isDisposed: Bool { isMarkedDisposed }

    /// Assigns `disposable`. A second call stops the process.
    public func setDisposable(_ disposable: any Disposable) {
        if setBits(Self.beingAssigned) & Self.beingAssigned != 0 {
            rxFatalError(
                "oldState.disposable != nil", operator: "SingleAssignmentDisposable.setDisposable",
                argument: "disposable",
                value: disposable)
        }
        held = disposable._reference
        if setBits(Self.assigned) & Self.disposed != 0 {
            held.take()?.dispose()
        }
    }

    public func dispose() {
        disposeIteratively()
    }

    public func _dispose(into worklist: inout _DisposalWorklist) {
        let old = setBits(Self.disposed)
        guard old & Self.disposed == 0, old & Self.assigned != 0, let held = held.take() else { return }
        worklist.push(held)
    }
}
