/// Checks that resident memory and the number of file descriptors do not grow over time.
struct FlatnessCheck {
    private var restingBytes: [Int] = []
    private var firstDescriptors: Int?
    private let violations: Violations
    private let sanitized: Bool

    /// The number of descriptors that a library may open late and keep, for a queue or a timer.
    private static let descriptorAllowance = 8

    init(_ violations: Violations, sanitized: Bool) {
        self.violations = violations
        self.sanitized = sanitized
    }

    mutating func rest(bytes: Int, descriptors: Int) {
        restingBytes.append(bytes)
        if firstDescriptors == nil { firstDescriptors = descriptors }
        if let first = firstDescriptors, descriptors > first + Self.descriptorAllowance {
            violations.record(.descriptors, "\(descriptors) descriptors are open, \(first) were after the first round")
            firstDescriptors = descriptors
        }
    }

    /// A leak grows during the whole run; an allocator's cache does not. So the minimum of the last quarter is compared
    /// with the maximum of the first half.
    func finish() {
        // A sanitizer retains freed memory.
        guard !sanitized, restingBytes.count >= 16 else { return }
        let most = restingBytes[..<(restingBytes.count / 2)].max() ?? 0
        let least = restingBytes[(restingBytes.count * 3 / 4)...].min() ?? 0
        let allowance = 16 << 20
        guard least > most + max(allowance, most / 10) else { return }
        violations.record(.memory, "resident memory at rest grew from \(most >> 20) MiB to \(least >> 20) MiB")
    }
}
