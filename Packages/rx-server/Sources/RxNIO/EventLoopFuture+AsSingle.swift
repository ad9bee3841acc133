import NIOConcurrencyHelpers
import NIOCore
import RxSwift

extension EventLoopFuture {
    /// Returns the future's result as a single. Each subscription receives it, even after the future has completed.
    ///
    ///     pool.query("SELECT ...").asSingle().map(\.rows)      // the query runs whether or not anything subscribes
    ///
    /// - Threads: the result is delivered on the future's loop. If the future has completed, a subscription on that
    ///   loop receives the result at once.
    /// - Errors: the future's error; `EventLoopError.shutdown` if the loop has been shut down and completes no futures.
    /// - Disposal: the future's operation continues, because it cannot be cancelled. Nothing is delivered, and the
    ///   observer is released.
    public func asSingle() -> Single<Value> {
        Single.create { [self] observer in
            let slot = UntilDisposed(observer)
            let answer = Answer(slot)
            whenComplete { answer.give($0) }
            return slot
        }
    }

    /// Like ``asSingle()``, as a sequence of one element.
    public func asObservable() -> Observable<Value> {
        asSingle().asObservable()
    }
}

extension EventLoopFuture where Value == Void {
    /// Like ``asSingle()``, as a completable.
    ///
    ///     stream.write(to: channel).andThen(.deferred { channel.close().asCompletable() })
    public func asCompletable() -> Completable {
        asSingle().asCompletable()
    }
}

/// A future's callback. If it is released without having been called, the loop has been shut down.
private final class Answer<Value>: Sendable {
    private let slot: UntilDisposed<Single<Value>.SingleObserver>

    init(_ slot: UntilDisposed<Single<Value>.SingleObserver>) {
        self.slot = slot
    }

    deinit {
        give(.failure(EventLoopError.shutdown))
    }

    func give(_ result: Result<Value, any Error>) {
        switch result {
        case .success(let value): slot.take()?(.success(value))
        case .failure(let error): slot.take()?(.failure(error))
        }
    }
}

/// A value that is used once, or released at disposal. A future's callback cannot be cancelled, so it retains only this
/// object.
///
/// Guard: `value` is protected by its lock.
private final class UntilDisposed<Value>: Disposable, @unchecked Sendable {  // because of the guard
    private let value: NIOLockedValueBox<Value?>

    init(_ value: Value) {
        self.value = NIOLockedValueBox(value)
    }

    func take() -> Value? {
        value.withLockedValue { $0.take() }
    }

    func dispose() {
        _ = take()
    }
}
