import RxSwift
import TestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The observer of a check. Its counters have no lock, so that ThreadSanitizer reports two threads in the observer.
final class Probe: @unchecked Sendable {
    private(set) var nexts = 0
    private(set) var errors = 0
    private(set) var completions = 0
    /// Whether the sequence under test has ended; set only if the probe observes it through another operator.
    private var isOver = false
    /// Events after the terminal event, and elements after the tested sequence's end.
    private(set) var late = 0
    private(set) var overlaps = 0
    private(set) var error: TestError?
    private var owner: pthread_t?
    private var depth = 0

    var onEvent: (() -> Void)?
    var onElement: ((Any) -> Void)?

    var ends: Int { errors + completions }

    func sourceEnded() {
        isOver = true
    }

    func on<Element>(_ event: Event<Element>) {
        let me = pthread_self()
        if let owner, owner != me { overlaps += 1 }
        owner = me
        depth += 1
        if ends > 0 { late += 1 }
        switch event {
        case .next(let element):
            if isOver { late += 1 }
            nexts += 1
            onElement?(element)
        case .error(let error):
            errors += 1
            self.error = error as? TestError
        case .completed:
            completions += 1
        }
        onEvent?()
        depth -= 1
        if depth == 0 { owner = nil }
    }
}
