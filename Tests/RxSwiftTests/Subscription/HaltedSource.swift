import TestSupport

@testable import RxSwift

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
