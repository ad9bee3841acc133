/// Checks that each producer's events arrive in order.
///
/// As in `CountCheck`, the state is plain memory, guarded by the serial delivery under test.
struct OrderCheck: ~Copyable, @unchecked Sendable {  // because of that guard
    // `CountCheck` explains why this is not a buffer pointer.
    private let last: UnsafeMutablePointer<Int>
    private let violations: Violations
    private let label: String

    init(producers: Int, _ label: String, _ violations: Violations) {
        last = .allocate(capacity: producers)
        last.initialize(repeating: .min, count: producers)
        self.label = label
        self.violations = violations
    }

    deinit {
        last.deallocate()
    }

    func next(_ item: Item) {
        if item.number < last[item.producer] {
            violations.record(
                .order, "\(label): producer \(item.producer) sent \(item.number) before \(last[item.producer])")
        }
        last[item.producer] = item.number
    }
}
