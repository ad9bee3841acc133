import RxSwift

extension ObservableType {
    /// After a completion, subscribes again when another sequence sends an element.
    ///
    ///     source:                                  --1--|    --1--|    --1--
    ///     handler's, 5 columns after a completion: ----------0---------0----
    ///     repeat(when:):                           --1---------1---------1--
    ///
    /// ![The source again at each element of the handler](marble-repeat-when)
    ///
    /// If the source fails, the result fails with its error. The sequence that the handler receives sends an element on
    /// the thread that completes the source. The thread that sends an element of the returned sequence subscribes to
    /// the source again. Subscriptions do not nest, so the stack does not grow with their number.
    ///
    /// Pausing: the source pauses with the downstream chain. If the source is subscribed to again during the pause, it
    /// starts paused. The returned sequence continues.
    ///
    /// - Parameter notificationHandler: called at each subscription with a sequence that sends an element for each
    ///   completion. The returned sequence has an effect only after a completion. Its next element causes a new
    ///   subscription, its completion completes the result, and its error makes the result fail.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func `repeat`<Trigger: ObservableType>(
        when notificationHandler: @escaping @Sendable (Observable<Void>) -> Trigger
    ) -> Observable<Element> {
        lift(FailAtCompletion()).retryUnchecked { (completions: Observable<Completion>) in
            notificationHandler(completions.map { _ in })
        }
    }
}

/// Represents a completion of the source as an error, so that `retry(when:)` handles it. No observer receives this
/// error.
@usableFromInline
struct Completion: Error {
    @inlinable
    init() {}
}

@usableFromInline
struct FailAtCompletion<Input>: LinearOperator {
    @usableFromInline
    typealias Output = Input

    @inlinable
    init() {}

    @inlinable
    @inline(__always)
    func next(_ element: Input, _ stage: borrowing LinearStage<Self>) -> Input? { element }

    @inlinable
    func end(_ error: (any Error)?, _ stage: borrowing LinearStage<Self>) -> (any Error)? { error ?? Completion() }

    @inlinable
    static var asksWhetherLive: Bool { false }

    @inlinable
    static var endsEarly: Bool { false }
}
