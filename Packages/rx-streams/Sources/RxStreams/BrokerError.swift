/// The error of a broker operation.
public enum BrokerError: Error, Equatable {
    /// The engine cannot be reached or did not answer. Trying again may help.
    case unavailable(String)
    /// The engine or the driver does not support or permit the operation. Trying again does not help.
    case refused(String)
    /// The stream, group or message does not exist.
    case missing(String)
    /// The cell's revision is not the expected one.
    case conflict
    /// The broker has been closed.
    case closed
}

extension BrokerError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unavailable(let why): "the broker is unavailable: \(why)"
        case .refused(let why): "the broker refused the operation: \(why)"
        case .missing(let what): "there is no \(what)"
        case .conflict: "the cell has another revision than expected"
        case .closed: "the broker has been closed"
        }
    }
}
