import NIOConcurrencyHelpers
import NIOCore
import RxSwift

extension EventLoopFuture {
    /// The future's result as a single.
    ///
    ///     pool.query("SELECT ...").asSingle().map(\.rows)      // the query runs already, whoever subscribes
    ///
    /// Each subscription gets the result, also one that is made after it came. It is delivered on the future's loop; to
    /// who subscribes there when it is known already, at once.
    ///
    /// - Errors: the future's; `EventLoopError.shutdown` where its loop has been shut down, and answers nobody any
    ///   more.
    /// - Disposal: a future cannot be cancelled, so what it stands for goes on. Nothing is delivered, and the
    ///   subscriber is let go of.
    public func asSingle() -> Single<Value> {
        Single.create { [self] observer in
            let slot = UntilDisposed(observer)
            let answer = Answer(slot)
            whenComplete { answer.give($0) }
            return slot
        }
    }

    /// The future's result as a sequence of one element: ``asSingle()``.
    public func asObservable() -> Observable<Value> {
        asSingle().asObservable()
    }
}

extension EventLoopFuture where Value == Void {
    /// The future's result as a completable; all else is as with ``asSingle()``.
    ///
    ///     stream.write(to: channel).andThen(.deferred { channel.close().asCompletable() })
    public func asCompletable() -> Completable {
        asSingle().asCompletable()
    }
}

/// What a future calls. One that is freed without a call is a loop's that has been shut down.
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

/// What is used once, or let go of at the disposal: a callback that cannot be taken back keeps nothing else.
///
/// Guard: `value` is under its lock.
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
