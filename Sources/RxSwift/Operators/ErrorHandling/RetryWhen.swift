extension ObservableType {
    /// After an error, subscribes again when another sequence sends an element.
    ///
    ///     source:                              --1--#    --1--#    --1--
    ///     handler's, 5 columns after an error: ----------0---------0----
    ///     retry(when:):                        --1---------1---------1--
    ///
    /// ![The source again at each element of the handler](marble-retry-when)
    ///
    /// The argument of `notificationHandler` sends each error, on the thread that delivers the error. When the returned
    /// sequence sends an element, the sending thread subscribes again. If the source fails within `subscribe`, the new
    /// subscription is made after that call has returned. If the returned sequence has ended by then, the result ends
    /// instead.
    ///
    /// [Pausing](doc:BoundedMemory): the source and each new attempt pause with the downstream chain. The returned
    /// sequence continues.
    ///
    /// - Parameter notificationHandler: called at each subscription with a sequence of the errors. After an error, the
    ///   next element of the returned sequence causes a new subscription. The terminal event of the returned sequence
    ///   ends the result: immediately if the source has failed, otherwise at the next error.
    ///
    /// ## See Also
    ///
    /// - <doc:HandlingErrors>
    /// - [retry on reactivex.io](https://reactivex.io/documentation/operators/retry.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func retry(
        when notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> some ObservableType
    )
        -> Observable<Element>
    {
        RetryWhen(asObservable(), notificationHandler)
    }

    /// After an error of type `Error`, subscribes again when another sequence sends an element. Passes on other errors.
    ///
    /// See ``retry(when:)-((Observable<Error>)->ObservableType)``.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func retry<Error: Swift.Error>(
        when notificationHandler: @escaping @Sendable (Observable<Error>) -> some ObservableType
    ) -> Observable<Element> {
        RetryWhen(asObservable(), notificationHandler)
    }

    @inlinable
    package __consuming func retryUnchecked<Error: Swift.Error>(
        when notificationHandler: @escaping (Observable<Error>) -> some ObservableType
    ) -> Observable<Element> {
        RetryWhen(asObservable(), notificationHandler)
    }

    /// Like ``ObservableType/retry(when:)-9dup6``.
    @available(*, deprecated, renamed: "retry(when:)")
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func retryWhen(
        _ notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> some ObservableType
    )
        -> Observable<Element>
    {
        RetryWhen(asObservable(), notificationHandler)
    }

    /// Like ``ObservableType/retry(when:)-9dup6``.
    @available(*, deprecated, renamed: "retry(when:)")
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func retryWhen<Error: Swift.Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Error>) -> some ObservableType
    ) -> Observable<Element> {
        RetryWhen(asObservable(), notificationHandler)
    }
}

@usableFromInline
// @unchecked Sendable because it is immutable.
final class RetryWhen<Element, Failure, Trigger: ObservableType>: Observable<Element>, @unchecked Sendable {
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let handler: (Observable<Failure>) -> Trigger

    @inlinable
    init(_ source: Observable<Element>, _ handler: @escaping (Observable<Failure>) -> Trigger) {
        self.source = source
        self.handler = handler
        super.init { base, context in
            let me = unsafeDowncast(base, to: RetryWhen<Element, Failure, Trigger>.self)
            let coordinator = RetryWhenCoordinator<Element, Failure>(&context, me.source)
            coordinator.obey(me.handler(coordinator.errors.asObservable()).asObservable(), context.lifetime)
            coordinator.advance()
            return nil
        }
    }
}

@usableFromInline
final class RetryWhenCoordinator<Element, Failure>: SequentialCoordinator<Element> {
    fileprivate struct Trigger {
        /// The coordinator, from a failure of the source until the next subscription. At other times nil, so that the
        /// coordinator is freed with its source.
        var waiting: RetryWhenCoordinator?
        /// Whether a new subscription has been requested but not made. The end of the trigger cancels the request.
        var isDue = false
        /// The end of the trigger; nil while it runs.
        var end: (any Error)??
        var isGone = false
    }

    private let source: Observable<Element>
    @usableFromInline
    let errors = PublishSubject<Failure>()
    // The source and the trigger may send on different threads.
    private let trigger = Locked(Trigger())

    @inlinable
    convenience init(_ context: inout SubscribeContext, _ source: Observable<Element>) {
        self.init(source, &context, begin: Self.passing)
    }

    @usableFromInline
    init(_ source: Observable<Element>, _ context: inout SubscribeContext, begin: @escaping Begin) {
        self.source = source
        super.init(&context, begin: begin)
    }

    @usableFromInline
    func obey<Token>(_ trigger: Observable<Token>, _ lifetime: ChainLifetime) {
        let triggerLifetime = ChainLifetime()
        lifetime.adopt(triggerLifetime)
        trigger.subscribe(last: TriggerSink<Token, Element, Failure>(self.trigger, triggerLifetime), triggerLifetime)
    }

    @usableFromInline
    override func next() -> Observable<Element>? {
        let isCut = trigger.withLock { trigger in
            if trigger.isDue && trigger.end != nil { return true }
            // The assignment does not free the coordinator, because the caller retains it.
            (trigger.isDue, trigger.waiting) = (false, nil)
            return false
        }
        return isCut ? nil : source
    }

    /// Does nothing: the thread that receives the trigger's end ends the result.
    @usableFromInline
    override func exhausted() {}

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        guard let error, let failure = error as? Failure else { return end(error) }
        if let failed = present.take() { innerChains.dispose(failed) }
        let ended = trigger.withLock { trigger in
            if trigger.end == nil, !trigger.isGone { trigger.waiting = self }
            return trigger.end
        }
        if let ended { end(ended) } else { errors.onNext(failure) }
    }
}

private final class TriggerSink<Token, Element, Failure>: TerminalObserver<Token> {
    typealias Trigger = Locked<RetryWhenCoordinator<Element, Failure>.Trigger>

    let trigger: Trigger

    init(_ trigger: Trigger, _ lifetime: ChainLifetime) {
        self.trigger = trigger
        super.init(lifetime) { base, _ in
            let me = unsafeDowncast(base, to: TriggerSink<Token, Element, Failure>.self)
            guard me.isLive else { return }
            let waiting = me.trigger.withLock { trigger in
                if trigger.isDue { return nil as RetryWhenCoordinator<Element, Failure>? }
                trigger.isDue = trigger.waiting != nil
                return trigger.waiting
            }
            waiting?.advance()
        }
    }

    deinit {
        let waiting = trigger.withLock { trigger in
            trigger.isGone = true
            return trigger.waiting.take()
        }
        withExtendedLifetime(waiting) {}
    }

    override func deliverEnd(_ error: (any Error)?) {
        let waiting = trigger.withLock { trigger in
            trigger.end = .some(error)
            return trigger.waiting.take()
        }
        waiting?.end(error)
    }
}
