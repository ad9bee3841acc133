import RxSwift

/// Calls a closure when `isDisposed` is read.
final class AskedDisposable: Cancelable {
    private let whenAsked: () -> Void

    init(_ whenAsked: @escaping () -> Void) {
        self.whenAsked = whenAsked
    }

    var isDisposed: Bool {
        whenAsked()
        return false
    }

    func dispose() {}
}
