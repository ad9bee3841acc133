import RxRelay
import RxSwift

/// The answer of a subject or a relay to an offered element.
public enum OfferResult: Sendable {
    /// The element was sent, stored for later observers, or enqueued because another thread is delivering.
    case delivered
    /// The element was dropped, because there is no observer.
    case noObservers
    /// The element was rejected, because an observer is paused or the queue of the subject is full.
    case paused
    /// The element was dropped, because the subject has ended or been disposed of, or its only observer has left.
    case ended

    /// `stores` is whether the subject stores an element when it has no observer.
    fileprivate init(_ readiness: SubjectReadiness, stores: Bool, _ send: () -> Void) {
        switch readiness {
        case .open: self = .delivered
        case .unobserved: self = stores ? .delivered : .noObservers
        case .full: self = .paused
        case .ended: self = .ended
        }
        if self == .delivered { send() }
    }
}

extension PublishSubject {
    /// Sends an element if there is an observer and no observer is paused.
    ///
    ///     switch readings.offer(reading) {
    ///     case .delivered: break
    ///     case .paused: dropped += 1
    ///     case .noObservers, .ended: stop()
    ///     }
    ///
    /// An observer is paused while its bounded subscription has no room; `onNext` would then end the subscription with
    /// `FlowError.overflow`. Observers in unbounded subscriptions never pause. An offer is also rejected while about a
    /// thousand elements of other threads wait to be delivered. `offer` first checks the state of the subject, then
    /// sends the element. So concurrent offers may exceed the bound by a few elements. If the subject ends between the
    /// two steps, the element is lost.
    ///
    /// - Returns: whether the element was sent and, if not, the reason.
    public func offer(_ element: Element) -> OfferResult {
        OfferResult(readiness, stores: false) { onNext(element) }
    }
}

extension BehaviorSubject {
    /// Like ``RxSwift/PublishSubject/offer(_:)``. Without an observer, the element becomes the value.
    public func offer(_ element: Element) -> OfferResult {
        OfferResult(readiness, stores: true) { onNext(element) }
    }
}

extension ReplaySubject {
    /// Like ``RxSwift/PublishSubject/offer(_:)``. Without an observer, the element is added to the buffer.
    public func offer(_ element: Element) -> OfferResult {
        OfferResult(readiness, stores: true) { onNext(element) }
    }
}

extension TimedReplaySubject {
    /// Like ``RxSwift/PublishSubject/offer(_:)``. Without an observer, the element is stored.
    public func offer(_ element: Element) -> OfferResult {
        OfferResult(readiness, stores: true) { onNext(element) }
    }
}

extension PublishRelay {
    /// Like ``RxSwift/PublishSubject/offer(_:)``.
    public func offer(_ element: Element) -> OfferResult {
        target.offer(element)
    }
}

extension BehaviorRelay {
    /// Like ``RxSwift/PublishSubject/offer(_:)``. Without an observer, the element becomes the value.
    public func offer(_ element: Element) -> OfferResult {
        target.offer(element)
    }
}

extension ReplayRelay {
    /// Like ``RxSwift/PublishSubject/offer(_:)``. Without an observer, the element is added to the buffer.
    public func offer(_ element: Element) -> OfferResult {
        target.offer(element)
    }
}
