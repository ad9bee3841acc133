/// A random number generator for tests. The same seed gives the same numbers on every machine.
///
/// ```swift
/// var random = SeededGenerator(seed: 7)
/// let dice = (1...3).map { _ in Int.random(in: 1...6, using: &random) }
/// ```
///
/// The numbers are those of SplitMix64 and are not suitable as secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var random: SeededRandom

    /// Creates a generator.
    ///
    /// - Parameter seed: each value, including 0, gives different numbers.
    public init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    /// Returns the next number.
    public mutating func next() -> UInt64 { random.next() }
}
