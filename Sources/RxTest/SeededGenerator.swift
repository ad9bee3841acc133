/// A random number generator for tests: its numbers follow from its seed, on every machine.
///
/// ```swift
/// let attempt = call.retry(policy, scheduler: scheduler, using: SeededGenerator(seed: 7))
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
