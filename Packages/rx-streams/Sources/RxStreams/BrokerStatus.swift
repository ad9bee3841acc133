/// How the connection to a broker is.
public enum BrokerStatus: Sendable, Equatable {
    /// It is being made, for the first time or again.
    ///
    /// - Parameters:
    ///   - attempt: the first, the second, and so on, since it was well.
    ///   - why: what was wrong with the one before; nil at the very first.
    case connecting(attempt: Int, why: String?)
    /// It is well.
    ///
    /// - Parameter server: what the engine calls itself.
    case connected(server: String)
    /// It has been closed for good.
    case closed
}
