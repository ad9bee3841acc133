import RxSwift
import TestSupport

/// A source of tracked elements that a check pushes into, and that knows who is subscribed.
final class Feed: Sendable {
    /// What stands at its head.
    enum Head: CaseIterable {
        /// A subject, as users push into.
        case subject
        /// `create`, whose subscriptions and disposals are counted and which keeps nothing after the end.
        case create
        /// `create` with nothing to dispose: nobody notices when its chain is let go.
        case bare

        /// Those that tell what they promise alike.
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

    /// - Parameters:
    ///   - head: what stands at its head.
    ///   - onDispose: runs in each disposal; only `create` can tell.
    init(_ head: Head, onDispose: @escaping @Sendable () -> Void) {
        self.head = head
        subject = head == .subject ? PublishSubject() : nil
        self.onDispose = onDispose
    }

    /// What operators are put on.
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

    /// How many subscriptions there have been.
    var subscriptions: Int { state.withLock { $0.subscriptions } }
    /// How many calls of `dispose` there have been.
    var disposals: Int { state.withLock { $0.disposals } }

    /// Whether anybody waits for it; a subject does not know.
    var isWanted: Bool { state.withLock { !$0.observers.isEmpty } }

    /// Pushes an event to the subscribers.
    func send(_ event: Event<Tracked>) {
        if let subject { return subject.on(event) }
        for (_, observer) in state.withLock({ $0.observers }) { observer.on(event) }
    }

    /// Drops the subscribers, silently.
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
        // Released after the lock, because it may be the last reference to a chain.
        withExtendedLifetime(gone) { onDispose() }
    }
}

/// A disposable that does not keep to itself how often it is disposed of, as `Disposables.create` does.
private final class Disposal: Disposable {
    private let action: () -> Void

    init(_ action: @escaping () -> Void) {
        self.action = action
    }

    func dispose() {
        action()
    }
}
