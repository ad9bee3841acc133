import RxSwift

/// The lifetime of a ``ControlTarget``, which holds one in a property and lets nobody else hold it.
///
/// It ends when it is released, so with the object; what listens to the object then completes. Any thread may use it.
public final class ControlLifetime: Sendable {
    private let subject = AsyncSubject<Void>()
    private let hasEnded = Locked(false)

    /// Begins a lifetime.
    public init() {}

    deinit {
        end()
    }

    /// Ends the lifetime before the object is released: a terminal that was closed, a widget that was destroyed. Once
    /// is enough.
    public func end() {
        hasEnded.withLock { $0 = true }
        subject.onNext(())
        subject.onCompleted()
    }

    var isOver: Bool { hasEnded.withLock { $0 } }

    /// Sends an element and completes when the lifetime ends, or at once if it has. It does not prolong it.
    public var ended: Observable<Void> { subject }
}
