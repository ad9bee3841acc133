public import RxSwift

/// What became of one attempt at an element.
public enum Outcome<Element: Sendable>: Sendable {
    /// The handler returned, and the engine has been told.
    case handled(Delivery<Element>)
    /// The handler threw; there will be another attempt, not before the pause is over.
    case retrying(Delivery<Element>, after: RxTimeInterval, any Error)
    /// It was given up and is among the dead letters.
    case dead(Delivery<Element>, why: String)
    /// The engine could not be told before the deadline that the handler returned, or that it was given up: it will
    /// come again.
    case untold(Delivery<Element>)

    /// What was delivered.
    public var delivery: Delivery<Element> {
        switch self {
        case .handled(let delivery), .retrying(let delivery, _, _), .dead(let delivery, _), .untold(let delivery):
            delivery
        }
    }
}
