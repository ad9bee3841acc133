import RxSwift

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
