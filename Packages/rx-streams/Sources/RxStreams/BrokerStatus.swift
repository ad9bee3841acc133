/// The state of a broker's connection.
public enum BrokerStatus: Sendable, Equatable {
    /// The connection is being made. `attempt` counts from 1 since the connection last worked. `why` is the failure of
    /// the previous attempt, or why the last connection was lost.
    case connecting(attempt: Int, why: String?)
    /// The connection works. `server` is the engine's name for itself.
    case connected(server: String)
    /// The broker has been closed for good.
    case closed
}
