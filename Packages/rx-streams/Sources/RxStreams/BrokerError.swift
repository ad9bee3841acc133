/// How a broker fails.
public enum BrokerError: Error, Equatable {
    /// The engine cannot be reached, or did not answer: trying again may help.
    case unavailable(String)
    /// The engine, or the driver, does not do that: trying again does not help.
    case refused(String)
    /// There is no such stream, group or message.
    case missing(String)
    /// A cell has another revision than was expected.
    case conflict
    /// The broker has been closed.
    case closed
}

extension BrokerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let why): "the broker is not there: \(why)"
        case .refused(let why): "the broker refuses it: \(why)"
        case .missing(let what): "there is no \(what)"
        case .conflict: "the cell has been changed meanwhile"
        case .closed: "the broker has been closed"
        }
    }
}
