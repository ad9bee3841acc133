/// A way to hammer the library. One value of it lives for its share of the soak and is asked for round after round.
protocol Scenario: Sendable {
    static var name: String { get }
    static var summary: String { get }
    /// How much of the soak's time it takes: 1 is what most do.
    static var share: Double { get }

    init()

    /// Builds something, lets the team loose on it, joins, and checks what must hold then. Milliseconds, and nothing
    /// left behind.
    func round(_ round: Round)
}

extension Scenario {
    static var share: Double { 1 }
}
