/// A stress scenario. One instance lives for its share of the soak and runs round after round.
protocol Scenario: Sendable {
    static var name: String { get }
    static var summary: String { get }
    /// The scenario's relative share of the soak's time; 1 for most scenarios.
    static var share: Double { get }

    init()

    /// Builds a structure, runs the team on it, joins, and checks the invariants. A round takes milliseconds and frees
    /// everything.
    func round(_ round: Round)
}

extension Scenario {
    static var share: Double { 1 }
}
