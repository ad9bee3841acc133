import RxSwift
import TestSupport

/// A source of tracked elements that a check pushes into.
final class Feed: Sendable {
    enum Head: CaseIterable {
        case subject
        /// `create`: the feed counts its subscriptions and disposals, and it keeps nothing after the end.
        case create
        /// `create` without a teardown, so a release of the chain is unobservable.
        case bare

        /// Omits `bare`, because its chain may be freed without a disposal.
        static let allCases: [Head] = [.subject, .create]
    }

    private struct State {
        var observers: [(number: Int, observer: AnyObserver<Tracked>)] = []
        var subscriptions = 0
        var disposals = 0
    }

    private let state = Guarded(State())
    private let subject: PublishSubject<Tracked>?
    private let head: Head
    private let onDispose: @Sendable () -> Void

    /// Only a `create` feed calls `onDispose`, at each disposal.
    init(_ head: Head, onDispose: @escaping @Sendable () -> Void) {
        self.head = head
        subject = head == .subject ? PublishSubject() : nil
        self.onDispose = onDispose
    }

    var observable: Observable<Tracked> {
        if let subject { return subject }
        return Observable.create { observer in
            let number = self.state.withLock { state in
                state.subscriptions += 1
                state.observers.append((state.subscriptions, observer))
                return state.subscriptions
            }
            return self.head == .bare ? Disposables.create() : Disposal { self.disposed(number) }
        }
    }

    var subscriptions: Int { state.withLock { $0.subscriptions } }
    var disposals: Int { state.withLock { $0.disposals } }

    /// Whether the source has a subscription; always false for a subject.
    var isWanted: Bool { state.withLock { !$0.observers.isEmpty } }

    func send(_ event: Event<Tracked>) {
        if let subject { return subject.on(event) }
        for (_, observer) in state.withLock({ $0.observers }) { observer.on(event) }
    }

    func forget() {
        let gone = state.withLock { state in
            defer { state.observers = [] }
            return state.observers
        }
        withExtendedLifetime(gone) {}
    }

    private func disposed(_ number: Int) {
        let gone = state.withLock { state in
            state.disposals += 1
            let gone = state.observers.filter { $0.number == number }
            state.observers.removeAll { $0.number == number }
            return gone
        }
        // The observer is released after unlocking, because it may hold the last reference to a chain.
        withExtendedLifetime(gone) { onDispose() }
    }
}

/// Runs its closure at every `dispose`, unlike `Disposables.create`.
private final class Disposal: Disposable {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    func dispose() {
        action()
    }
}
