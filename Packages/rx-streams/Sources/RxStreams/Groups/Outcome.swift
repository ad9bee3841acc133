public import RxSwift

/// The result of one attempt to handle an element.
public enum Outcome<Element: Sendable>: Sendable {
    /// The handler returned, and the acknowledgement has been sent.
    case handled(Delivery<Element>)
    /// The handler threw. Another attempt follows when the pause has ended, or later.
    case retrying(Delivery<Element>, after: RxTimeInterval, any Error)
    /// The element was given up and is among the dead letters.
    case dead(Delivery<Element>, why: String)
    /// The handler returned or the element was given up, but the engine could not be notified before the deadline. The
    /// element is delivered again.
    case untold(Delivery<Element>)

    /// The delivery of this attempt.
    public var delivery: Delivery<Element> {
        switch self {
        case .handled(let delivery), .retrying(let delivery, _, _), .dead(let delivery, _), .untold(let delivery):
            delivery
        }
    }
}
