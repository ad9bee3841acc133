/// A stress scenario. One instance runs all rounds.
protocol Scenario: Sendable {
    static var name: String { get }
    static var summary: String { get }
    /// The relative share of the soak's time; 1 for most scenarios.
    static var share: Double { get }

    init()

    /// Builds a structure, runs the team on it, joins, and checks the invariants. Takes milliseconds and frees
    /// everything.
    func round(_ round: Round)
}

extension Scenario {
    static var share: Double { 1 }
}
