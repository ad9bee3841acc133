import NIOConcurrencyHelpers
import NIOCore
import RxSwift

extension PrimitiveSequenceType where Trait == SingleTrait, Element: Sendable {
    /// Subscribes, and completes a future of `loop` with the result.
    ///
    ///     func respond(to request: Request) -> EventLoopFuture<Response> {
    ///         orders.load(request.id).map(Response.init).get(on: request.eventLoop)
    ///     }
    ///
    /// The future always completes. If `bag` disposes of the subscription, or the source is released before it ends,
    /// the future fails with `CancellationError`. Without a `bag`, the subscription lasts until the source ends.
    ///
    /// - Threads: the subscription is made on the calling thread, at once. The future's callbacks run on `loop`, which
    ///   must not be shut down before the result arrives.
    public func get(on loop: any EventLoop, disposedBy bag: DisposeBag? = nil) -> EventLoopFuture<Element> {
        let result = PromisedResult<Element>(on: loop)
        let subscription = primitiveSequence.subscribe(
            onSuccess: { result.complete(.success($0)) }, onFailure: { result.complete(.failure($0)) },
            onDisposed: { result.cancel() })
        bag?.insert(subscription)
        return result.future
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait, Element: Sendable {
    /// Completes a future of `loop` with the element, or with nil if there is none. `bag`, errors and threads are as
    /// for a single's `get(on:disposedBy:)`.
    public func get(on loop: any EventLoop, disposedBy bag: DisposeBag? = nil) -> EventLoopFuture<Element?> {
        let result = PromisedResult<Element?>(on: loop)
        let subscription = primitiveSequence.subscribe(
            onSuccess: { result.complete(.success($0)) }, onError: { result.complete(.failure($0)) },
            onCompleted: { result.complete(.success(nil)) }, onDisposed: { result.cancel() })
        bag?.insert(subscription)
        return result.future
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Completes a future of `loop` at the completion or the error. `bag`, errors and threads are as for a single's
    /// `get(on:disposedBy:)`.
    public func get(on loop: any EventLoop, disposedBy bag: DisposeBag? = nil) -> EventLoopFuture<Void> {
        let result = PromisedResult<Void>(on: loop)
        let subscription = primitiveSequence.subscribe(
            onCompleted: { result.complete(.success(())) }, onError: { result.complete(.failure($0)) },
            onDisposed: { result.cancel() })
        bag?.insert(subscription)
        return result.future
    }
}

/// A promise that is completed once, at the latest when the last reference to this object is released.
///
/// Guard: `promise` is protected by its lock. The thread that removes the promise completes it.
private final class PromisedResult<Value: Sendable>: Sendable {
    let future: EventLoopFuture<Value>
    private let promise: NIOLockedValueBox<EventLoopPromise<Value>?>

    init(on loop: any EventLoop) {
        let promise = loop.makePromise(of: Value.self)
        future = promise.futureResult
        self.promise = NIOLockedValueBox(promise)
    }

    deinit {
        cancel()
    }

    func complete(_ result: Result<Value, any Error>) {
        promise.withLockedValue { $0.take() }?.completeWith(result)
    }

    func cancel() {
        complete(.failure(CancellationError()))
    }
}
