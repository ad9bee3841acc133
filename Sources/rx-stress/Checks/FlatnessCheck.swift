/// Resident memory and file descriptors flat: what is held at rest does not grow with the number of rounds.
struct FlatnessCheck {
    private var restingBytes: [Int] = []
    private var firstDescriptors: Int?
    private let violations: Violations
    private let sanitized: Bool

    /// Descriptors that a library may open once, late, and keep: a queue's or a timer's.
    private static let descriptorAllowance = 8

    init(_ violations: Violations, sanitized: Bool) {
        self.violations = violations
        self.sanitized = sanitized
    }

    /// After each round.
    mutating func rest(bytes: Int, descriptors: Int) {
        restingBytes.append(bytes)
        if firstDescriptors == nil { firstDescriptors = descriptors }
        if let first = firstDescriptors, descriptors > first + Self.descriptorAllowance {
            violations.record(.descriptors, "\(descriptors) descriptors are open, \(first) were after the first round")
            firstDescriptors = descriptors
        }
    }

    /// At the end. A leak grows through the whole run; an allocator that keeps what it once needed does not: so the
    /// least of the last quarter is compared with the most of the first half.
    func finish() {
        // A sanitizer keeps freed memory and shadows of it.
        guard !sanitized, restingBytes.count >= 16 else { return }
        let most = restingBytes[..<(restingBytes.count / 2)].max() ?? 0
        let least = restingBytes[(restingBytes.count * 3 / 4)...].min() ?? 0
        let allowance = 16 << 20
        guard least > most + max(allowance, most / 10) else { return }
        violations.record(.memory, "resident memory at rest grew from \(most >> 20) MiB to \(least >> 20) MiB")
    }
}
