import RxSwift

/// The lifetime of a ``ControlTarget``, stored in a property of the target. No other object may retain it.
///
/// The lifetime ends when this object is released together with the target. Sequences that listen to the target then
/// complete. Any thread may use this object.
public final class ControlLifetime: Sendable {
    private let subject = AsyncSubject<Void>()
    private let hasEnded = Locked(false)

    /// Begins a lifetime.
    public init() {}

    deinit {
        end()
    }

    /// Ends the lifetime before the release, for example when a widget is destroyed. Further calls have no effect.
    public func end() {
        hasEnded.withLock { $0 = true }
        subject.onNext(())
        subject.onCompleted()
    }

    var isOver: Bool { hasEnded.withLock { $0 } }

    /// Sends an element and completes when the lifetime ends, or at once if it has ended. Does not prolong the
    /// lifetime.
    public var ended: Observable<Void> { subject }
}
