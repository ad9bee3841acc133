/// A random number generator for tests: its numbers follow from its seed, on every machine.
///
/// ```swift
/// var random = SeededGenerator(seed: 7)
/// let dice = (1...3).map { _ in Int.random(in: 1...6, using: &random) }
/// ```
///
/// Two generators with one seed return the same numbers in the same order; a copy goes on from where the original was.
/// The numbers are those of SplitMix64. They are of no use as secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var random: SeededRandom

    /// Creates a generator.
    ///
    /// - Parameter seed: the seed. Each one, 0 among them, gives another sequence of numbers.
    public init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    /// Returns the next number; each 64-bit number is equally likely.
    public mutating func next() -> UInt64 { random.next() }
}
