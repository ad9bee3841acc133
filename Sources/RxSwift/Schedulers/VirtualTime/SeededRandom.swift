/// A random number generator whose numbers depend only on its seed: SplitMix64.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// A scheduler that supplies random numbers, so that its runs are repeatable.
package protocol RepeatableScheduler: SchedulerType {
    /// Returns a new generator. The n-th generator of a scheduler is the same in every process.
    func makeRandom() -> SeededRandom
}

extension VirtualTimeScheduler: RepeatableScheduler {
    package func makeRandom() -> SeededRandom { SeededRandom(seed: takeSeed()) }
}
