import NIOConcurrencyHelpers
import NIOCore
import RxSwift

extension PrimitiveSequenceType where Trait == SingleTrait, Element: Sendable {
    /// Subscribes, and gives the result to a future of a loop.
    ///
    ///     func respond(to request: Request) -> EventLoopFuture<Response> {
    ///         orders.load(request.id).map(Response.init).get(on: request.eventLoop)
    ///     }
    ///
    /// The future is completed once, whatever happens: with the element, with the error, or with `CancellationError`
    /// where neither can come any more: the subscription has been disposed of with `bag`, or the source is gone.
    ///
    /// - Threads: it is subscribed to on the calling thread, at once. The future's callbacks run on `loop`, which must
    ///   not be shut down before.
    /// - Parameters:
    ///   - loop: the future's.
    ///   - bag: what disposes of the subscription; a connection's for instance. Without one, it ends by itself.
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
    /// Subscribes, and gives the result to a future of a loop: nil where it completes without an element.
    ///
    /// All else is as with a single's `get(on:disposedBy:)`.
    ///
    /// - Parameters:
    ///   - loop: the future's.
    ///   - bag: what disposes of the subscription.
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
    /// Subscribes, and gives the completion or the error to a future of a loop.
    ///
    /// All else is as with a single's `get(on:disposedBy:)`.
    ///
    /// - Parameters:
    ///   - loop: the future's.
    ///   - bag: what disposes of the subscription.
    public func get(on loop: any EventLoop, disposedBy bag: DisposeBag? = nil) -> EventLoopFuture<Void> {
        let result = PromisedResult<Void>(on: loop)
        let subscription = primitiveSequence.subscribe(
            onCompleted: { result.complete(.success(())) }, onError: { result.complete(.failure($0)) },
            onDisposed: { result.cancel() })
        bag?.insert(subscription)
        return result.future
    }
}

/// A promise that is kept once: at the latest when nobody is left who could.
///
/// Guard: `promise` is under its lock; who takes it out completes it.
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
