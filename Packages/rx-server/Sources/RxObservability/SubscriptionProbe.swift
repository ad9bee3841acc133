import RxSwift
import Synchronization

/// Observes a subscription. Calls of `next` are serial. `end` is called once, by the thread that ends the subscription.
/// If another thread disposes of the subscription, `end` may run during `next`.
protocol SubscriptionProbe<Element>: Sendable {
    associatedtype Element

    /// Called before the element is forwarded.
    func next(_ element: Element)

    /// Called before the end is forwarded, or at the disposal.
    func end(_ end: SubscriptionEnd)
}

enum SubscriptionEnd {
    case completed
    case failed(any Error)
    case cancelled
}

enum SequenceKind: String {
    case observable = "Observable"
    case infallible = "Infallible"
    case single = "Single"
    case maybe = "Maybe"
    case completable = "Completable"

    init(_ trait: Any.Type) {
        self = trait == SingleTrait.self ? .single : trait == MaybeTrait.self ? .maybe : .completable
    }

    var endsWithElement: Bool { self == .single || self == .maybe }
}

extension Observable {
    /// Returns this sequence with a probe for each subscription. Pauses pass through.
    ///
    /// `begin` is called with this sequence at each subscription, on the subscribing thread. It returns the probe, and
    /// the sequence that replaces this one.
    func watched<Probe: SubscriptionProbe<Element>>(
        _ kind: SequenceKind, _ begin: @escaping (Observable<Element>) -> (Probe, Observable<Element>)
    ) -> Observable<Element> {
        nonisolated(unsafe) let begin = begin  // `begin` may be called on any thread that subscribes
        return .deferred { [self] in
            let (probe, source) = begin(self)
            let once = Once()
            @Sendable func end(_ end: SubscriptionEnd) {
                if once.isFirst() { probe.end(end) }
            }
            return source.do(
                onNext: { element in
                    probe.next(element)
                    if kind.endsWithElement { end(.completed) }
                },
                onError: { end(.failed($0)) },
                onCompleted: { end(.completed) },
                onDispose: { end(.cancelled) })
        }
    }
}

private final class Once: Sendable {
    private let hasHappened = Atomic(false)

    func isFirst() -> Bool { !hasHappened.exchange(true, ordering: .acquiringAndReleasing) }
}

extension Observable {
    /// Converts a sequence that should not fail. If it fails nevertheless, the hook for unhandled errors receives the
    /// error.
    func asInfallibleAgain() -> Infallible<Element> {
        asInfallible(
            onErrorRecover: { error in
                Hooks.defaultErrorHandler([], error)
                return .empty()
            })
    }
}
