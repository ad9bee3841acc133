package import RxSwift
import Synchronization

/// This process's listeners for live messages.
///
/// Guards: `state` is protected by its lock. Observers are called and released outside of it.
package final class Listeners: Sendable {
    private struct State {
        var all: [UInt64: (pattern: SubjectPattern, observer: AnyObserver<NewMessage>)] = [:]
        var lastKey: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    package init() {}

    package func send(_ message: NewMessage) {
        let listening = state.withLock { state in
            state.all.filter { $0.value.pattern.matches(message.subject) }
        }
        for (_, listener) in listening.sorted(by: { $0.key < $1.key }) { listener.observer.onNext(message) }
    }

    package func messages(on pattern: String) -> Observable<NewMessage> {
        Observable.create { [self] observer in
            do {
                let pattern = try SubjectPattern(pattern)
                guard let key = add(pattern, observer) else {
                    observer.onCompleted()
                    return Disposables.create()
                }
                return Disposables.create { [self] in _ = remove(key) }
            } catch {
                observer.onError(error)
                return Disposables.create()
            }
        }
    }

    private func add(_ pattern: SubjectPattern, _ observer: AnyObserver<NewMessage>) -> UInt64? {
        state.withLock { state in
            if state.isClosed { return nil }
            state.lastKey += 1
            state.all[state.lastKey] = (pattern, observer)
            return state.lastKey
        }
    }

    /// Returns the observer, to be released outside of the lock.
    private func remove(_ key: UInt64) -> AnyObserver<NewMessage>? {
        state.withLock { $0.all.removeValue(forKey: key) }?.observer
    }

    package func close() {
        let all = state.withLock { state in
            state.isClosed = true
            defer { state.all = [:] }
            return state.all
        }
        for (_, listener) in all.sorted(by: { $0.key < $1.key }) { listener.observer.onCompleted() }
    }
}
