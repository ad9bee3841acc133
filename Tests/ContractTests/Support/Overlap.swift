/// Detects two threads inside one closure. Has no lock, so that ThreadSanitizer reports them too.
final class Overlap: @unchecked Sendable {
    private var isInside = false
    private var spins = 0
    private(set) var found = 0

    func pass() {
        if isInside { found += 1 }
        isInside = true
        // Gives another thread time to overlap.
        for _ in 0..<20 { spins &+= 1 }
        isInside = false
    }
}
