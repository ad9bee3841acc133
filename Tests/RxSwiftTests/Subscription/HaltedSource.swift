import TestSupport

@testable import RxSwift

/// A source that runs a closure when it is halted.
final class HaltedSource: Upstream {
    private let held: LifetimeTracker.Tracked
    private let act: () -> Void

    init(holding held: LifetimeTracker.Tracked, _ act: @escaping () -> Void) {
        self.held = held
        self.act = act
    }

    func dispose(key: UnsafeMutableRawPointer?) {}

    func halt() {
        act()
    }
}
