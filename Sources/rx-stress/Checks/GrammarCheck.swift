import Synchronization

/// Checks the grammar `next* (error | completed)? onDisposed`.
struct GrammarCheck: ~Copyable {
    private let ends = Atomic<Int>(0)
    private let disposals = Atomic<Int>(0)
    private let violations: Violations
    private let label: String

    init(_ label: String, _ violations: Violations) {
        self.label = label
        self.violations = violations
    }

    func next() {
        if ends.load(ordering: .relaxed) != 0 { violations.record(.grammar, "\(label): next after the end") }
    }

    func end() {
        if ends.add(1, ordering: .relaxed).oldValue != 0 { violations.record(.grammar, "\(label): ended twice") }
    }

    func onDisposed() {
        // The ordering is releasing, because a thread that has waited for the disposal then reads data that the
        // deliveries have written.
        if disposals.add(1, ordering: .releasing).oldValue != 0 {
            violations.record(.grammar, "\(label): onDisposed twice")
        }
    }

    var hasEnded: Bool { ends.load(ordering: .relaxed) != 0 }
    var isDisposed: Bool { disposals.load(ordering: .acquiring) != 0 }

    func finish() {
        if !isDisposed { violations.record(.grammar, "\(label): onDisposed never ran") }
    }
}
