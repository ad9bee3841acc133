public import Dispatch

// Operators of all traits. Each forwards to the observable's operator that its comment names.

extension PrimitiveSequence {
    /// A sequence that `observableFactory` makes for each subscription.
    ///
    /// See ``ObservableType/deferred(_:)``.
    ///
    /// - Parameter observableFactory: called at each subscription, on the subscribing thread. If `observableFactory`
    ///   throws an error, the sequence fails with that error.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable.deferred { try observableFactory().source })
    }

    /// The sequence that `primitiveSequenceFactory` makes from a resource. The resource is disposed of after the
    /// sequence has ended or been disposed of.
    ///
    /// See ``ObservableType/using(_:observableFactory:)``.
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        primitiveSequenceFactory: @escaping @Sendable (Resource) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Using(resourceFactory) { try primitiveSequenceFactory($0).source })
    }

    /// Delays the element and the completion by `dueTime`. An error is sent at once.
    ///
    /// See ``ObservableType/delay(_:scheduler:)``.
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes to the source after `dueTime`.
    ///
    /// See ``ObservableType/delaySubscription(_:scheduler:)``.
    public func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Delivers on `scheduler`.
    ///
    /// See ``ObservableType/observe(on:)``.
    public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.observe(on: scheduler))
    }

    /// Like ``ObservableType/observe(on:)``.
    @available(*, deprecated, renamed: "observe(on:)")
    public func observeOn(_ scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        observe(on: scheduler)
    }

    /// Subscribes to the source on `scheduler`, and disposes of that subscription there.
    ///
    /// See ``ObservableType/subscribe(on:)``.
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.subscribe(on: scheduler))
    }

    /// Like ``ObservableType/subscribe(on:)``.
    @available(*, deprecated, renamed: "subscribe(on:)")
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        subscribe(on: scheduler)
    }

    /// Continues with another sequence when the source fails.
    ///
    /// See ``ObservableType/catch(_:)``.
    ///
    /// - Parameter handler: called on the thread that delivers the error. If `handler` throws an error, the sequence
    ///   fails with that error.
    @preconcurrency
    public func `catch`(
        _ handler: @escaping @Sendable (any Swift.Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.catch { try handler($0).source })
    }

    /// Like ``ObservableType/catch(_:)``.
    @available(*, deprecated, renamed: "catch(_:)")
    @preconcurrency
    public func catchError(
        _ handler: @escaping @Sendable (any Swift.Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        `catch`(handler)
    }

    /// Subscribes again when the source fails, with at most `maxAttemptCount` subscriptions in total.
    ///
    /// See ``ObservableType/retry(_:)``.
    public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(maxAttemptCount))
    }

    /// Subscribes to the source again each time the sequence that `notificationHandler` returns sends an element.
    ///
    /// See ``ObservableType/retry(when:)-9dup6``.
    @preconcurrency
    public func retry(
        when notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> some ObservableType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler))
    }

    /// Subscribes to the source again each time the sequence that `notificationHandler` returns sends an element. If
    /// the source fails with an error of a type that the handler does not take, the result fails with that error.
    ///
    /// See ``ObservableType/retry(when:)-9dup6``.
    @preconcurrency
    public func retry<Error: Swift.Error>(
        when notificationHandler: @escaping @Sendable (Observable<Error>) -> some ObservableType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler))
    }

    /// Like ``ObservableType/retry(when:)-9dup6``.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen(
        _ notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> some ObservableType
    ) -> PrimitiveSequence<Trait, Element> {
        retry(when: notificationHandler)
    }

    /// Like ``ObservableType/retry(when:)-9dup6``.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<Error: Swift.Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Error>) -> some ObservableType
    ) -> PrimitiveSequence<Trait, Element> {
        retry(when: notificationHandler)
    }

    /// Prints every event.
    ///
    /// See ``ObservableType/debug(_:trimOutput:file:line:function:)``.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    /// Fails with ``RxError/timeout`` if the source sends nothing for `dueTime`.
    ///
    /// See ``ObservableType/timeout(_:scheduler:)``.
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, scheduler: scheduler))
    }

    /// Continues with `other` if the source sends nothing for `dueTime`.
    ///
    /// See ``ObservableType/timeout(_:other:scheduler:)``.
    public func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
    }
}

extension PrimitiveSequenceType where Element: RxAbstractInteger {
    /// Sends zero after `dueTime`, and completes.
    ///
    /// Like ``ObservableType/timer(_:period:scheduler:)`` without a period.
    public static func timer(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable<Element>.timer(dueTime, scheduler: scheduler))
    }
}
