/// The state of a broker's connection.
public enum BrokerStatus: Sendable, Equatable {
    /// The connection is being made, for the first time or again.
    ///
    /// - Parameters:
    ///   - attempt: the number of this attempt, counted from 1 since the connection last worked.
    ///   - why: the failure of the previous attempt, or why the last connection was lost; nil if there was neither.
    case connecting(attempt: Int, why: String?)
    /// The connection works.
    ///
    /// - Parameter server: the engine's name for itself.
    case connected(server: String)
    /// The broker has been closed for good.
    case closed
}
