extension ObservableType {
    /// Subscribes again after an error when another sequence says so.
    ///
    ///     source:                              --1--#    --1--#    --1--
    ///     handler's, 5 columns after an error: ----------0---------0----
    ///     retry(when:):                        --1---------1---------1--
    ///
    /// ![The source once more whenever the handler says so](marble-retry-when)
    ///
    /// The handler's sequence hears of an error on the thread that delivers it, and the source is subscribed again on
    /// the thread on which the handler's element comes. Where the source has failed while it was being subscribed to,
    /// that is over first, and a terminal event that the handler's sequence sends by then still ends the result: with a
    /// handler of `errors.take(1)`, a source that fails at once has one attempt, and one that fails later has two.
    ///
    /// [Pausing](doc:BoundedMemory): the source pauses with what is below, and is paused from its start where it is
    /// subscribed to anew meanwhile; what triggers that goes on. Attempts that fail while they are subscribed to cannot
    /// pause: where the handler answers at once, one is made in a pause.
    ///
    /// - Parameter notificationHandler: called at each subscription with a sequence of the errors. Its sequence, of
    ///   which only events after an error count, decides: an element subscribes again, a terminal event ends the
    ///   result.
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

    /// Subscribes again after an error of one type when another sequence says so. Other errors end the result.
    ///
    /// See ``retry(when:)-((Observable<Error>)->ObservableType)``.
    ///
    /// - Parameter notificationHandler: called at each subscription with a sequence of the errors of that type.
    @inlinable
    @inline(never)
    @preconcurrency
    public __consuming func retry<Error: Swift.Error>(
        when notificationHandler: @escaping @Sendable (Observable<Error>) -> some ObservableType
    ) -> Observable<Element> {
        RetryWhen(asObservable(), notificationHandler)
    }

    /// Subscribes again after an error when another sequence says so.
    ///
    /// As ``ObservableType/retry(when:)-9dup6``.
    ///
    /// - Parameter notificationHandler: called at each subscription with a sequence of the errors.
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

    /// Subscribes again after an error of one type when another sequence says so. Other errors end the result.
    ///
    /// As ``ObservableType/retry(when:)-9dup6``.
    ///
    /// - Parameter notificationHandler: called at each subscription with a sequence of the errors of that type.
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
// @unchecked Sendable because immutable.
final class RetryWhen<Element, Failure, Trigger: ObservableType>: Observable<Element>, @unchecked Sendable {
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let handler: (Observable<Failure>) -> Trigger

    @inlinable
    init(_ source: Observable<Element>, _ handler: @escaping (Observable<Failure>) -> Trigger) {
        self.source = source
        self.handler = handler
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: RetryWhen<Element, Failure, Trigger>.self)
            let coordinator = RetryWhenCoordinator<Element, Failure>(&assembly, me.source)
            coordinator.obey(me.handler(coordinator.errors.asObservable()).asObservable(), assembly.disposer)
            coordinator.advance()
            return nil
        }
    }
}

@usableFromInline
final class RetryWhenCoordinator<Element, Failure>: SequentialCoordinator<Element> {
    fileprivate struct Trigger {
        /// The sequential coordinator, from a failure of its source until it is subscribed again. Nobody else keeps it
        /// meanwhile; and kept any longer, through the trigger that listens to its errors, it would survive a source
        /// that goes silently.
        var waiting: RetryWhenCoordinator?
        /// Whether an element has come that subscribes again, and that has not begun: the subscription under way may
        /// hold it up. The trigger's end comes before it then.
        var isDue = false
        /// How the trigger ended, if it has.
        var end: (any Error)??
        /// Whether the trigger is gone, so that waiting is in vain.
        var isGone = false
    }

    private let source: Observable<Element>
    @usableFromInline
    let errors = PublishSubject<Failure>()
    // Source and trigger may fire from different threads; which of the two ends the result or goes on is settled here.
    private let trigger = Locked(Trigger())

    @inlinable
    convenience init(_ assembly: inout Assembly, _ source: Observable<Element>) {
        self.init(source, &assembly, begin: Self.passing)
    }

    @usableFromInline
    init(_ source: Observable<Element>, _ assembly: inout Assembly, begin: @escaping Begin) {
        self.source = source
        super.init(&assembly, begin: begin)
    }

    /// Subscribes the trigger, for as long as the chain of `disposer` lives.
    @usableFromInline
    func obey<Token>(_ trigger: Observable<Token>, _ disposer: SinkDisposer) {
        let lifetime = SinkDisposer()
        disposer.adopt(lifetime)
        trigger.subscribe(last: TriggerSink<Token, Element, Failure>(self.trigger, lifetime), lifetime)
    }

    @usableFromInline
    override func next() -> Observable<Element>? {
        let isCut = trigger.withLock { trigger in
            if trigger.isDue && trigger.end != nil { return true }
            // Who calls this keeps it.
            (trigger.isDue, trigger.waiting) = (false, nil)
            return false
        }
        return isCut ? nil : source
    }

    /// Whoever has heard the trigger's end ends the result, which may be another thread, after this.
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

/// The last sink of the sequence that says when to retry.
private final class TriggerSink<Token, Element, Failure>: LastSink<Token> {
    typealias Trigger = Locked<RetryWhenCoordinator<Element, Failure>.Trigger>

    let trigger: Trigger

    init(_ trigger: Trigger, _ disposer: SinkDisposer) {
        self.trigger = trigger
        super.init(disposer) { base, _ in
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
