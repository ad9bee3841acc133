/// A small seedable generator. With the same seed, each thread repeats its choices.
struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mix(state)
    }

    func forked(_ salt: UInt64) -> SplitMix64 {
        SplitMix64(seed: Self.mix(state ^ Self.mix(salt &+ 0x9E37_79B9_7F4A_7C15)))
    }

    /// A generator that depends on `name`, so that a scenario that runs alone makes the same choices as in the whole
    /// soak.
    func forked(_ name: String) -> SplitMix64 {
        forked(name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
    }

    mutating func below(_ bound: Int) -> Int {
        Int.random(in: 0..<bound, using: &self)
    }

    mutating func oneIn(_ count: Int) -> Bool {
        below(count) == 0
    }

    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
