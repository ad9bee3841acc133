import RxSwift

extension ObservableType {
    /// Each time the source completes, waits for an element of another sequence, then subscribes to the source again.
    ///
    ///     source:                                  --1--|    --1--|    --1--
    ///     handler's, 5 columns after a completion: ----------0---------0----
    ///     repeat(when:):                           --1---------1---------1--
    ///
    /// ![The source again at each element of the handler](marble-repeat-when)
    ///
    /// If the source fails, the result fails. When the source completes, the handler's argument sends an element on the
    /// same thread. The thread that sends the next element of the returned sequence subscribes to the source again. The
    /// stack does not grow with the number of subscriptions.
    ///
    /// Pausing: the source pauses with the downstream chain. A new subscription during the pause starts paused. The
    /// returned sequence continues during the pause.
    ///
    /// - Parameter notificationHandler: called at each subscription with a sequence of the completions. The returned
    ///   sequence has an effect only after a completion. Its next element causes a new subscription. Its terminal event
    ///   ends the result.
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

/// The error that represents a completion for `retry(when:)`. No observer receives it.
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
