/// The state of a broker's connection.
public enum BrokerStatus: Sendable, Equatable {
    /// The connection is being made. `attempt` is the number of attempts since the connection last worked, including
    /// this one. `why` describes the previous failure or the loss of the connection.
    case connecting(attempt: Int, why: String?)
    /// The connection works. `server` is the engine's name for itself.
    case connected(server: String)
    /// The broker has been closed for good.
    case closed
}
