import RxSwift
import Synchronization

/// What watches one subscription.
///
/// `next` is called by the thread that delivers, one call at a time; `end` once, by the thread that ends the
/// subscription: it may come while `next` runs where that is another thread's disposal.
protocol SubscriptionProbe<Element>: Sendable {
    associatedtype Element

    /// An element is about to be handed on.
    func next(_ element: Element)

    /// The end is about to be handed on, or the subscription has been disposed of.
    func end(_ end: SubscriptionEnd)
}

/// How a subscription has ended.
enum SubscriptionEnd {
    case completed
    case failed(any Error)
    case cancelled
}

/// What kind of sequence is watched: of some the element is the end.
enum SequenceKind: String {
    case observable = "Observable"
    case infallible = "Infallible"
    case single = "Single"
    case maybe = "Maybe"
    case completable = "Completable"

    /// The kind of a single, a maybe or a completable, by its trait.
    init(_ trait: Any.Type) {
        self = trait == SingleTrait.self ? .single : trait == MaybeTrait.self ? .maybe : .completable
    }

    var endsWithElement: Bool { self == .single || self == .maybe }
}

extension Observable {
    /// This sequence, each subscription of which has a probe.
    ///
    /// It stays one chain: a pause passes it.
    ///
    /// - Parameter begin: called at each subscription, by who subscribes, with this sequence; gives the probe, and what
    ///   takes the place of the sequence.
    func watched<Probe: SubscriptionProbe<Element>>(
        _ kind: SequenceKind, _ begin: @escaping (Observable<Element>) -> (Probe, Observable<Element>)
    ) -> Observable<Element> {
        nonisolated(unsafe) let begin = begin  // it uses nothing of the thread that subscribes
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

/// Something that happens once, whoever comes first.
private final class Once: Sendable {
    private let hasHappened = Atomic(false)

    func isFirst() -> Bool { !hasHappened.exchange(true, ordering: .acquiringAndReleasing) }
}

extension Observable {
    /// As an infallible again, after an operator that fails no more than its source: an error that comes in spite of
    /// the promise goes where those go that nobody handles.
    func asInfallibleAgain() -> Infallible<Element> {
        asInfallible(
            onErrorRecover: { error in
                Hooks.defaultErrorHandler([], error)
                return .empty()
            })
    }
}
