public import Dispatch

// What every trait has. Each is the observable's operator: its documentation says more.

extension PrimitiveSequence {
    /// A sequence that is made anew for each subscription.
    ///
    /// As ``ObservableType/deferred(_:)``.
    ///
    /// - Parameter observableFactory: called at each subscription, on the subscribing thread. An error it throws ends
    ///   the sequence.
    @preconcurrency
    public static func deferred(
        _ observableFactory: @escaping @Sendable () throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable.deferred { try observableFactory().source })
    }

    /// A sequence with a resource of its own, which is disposed after it.
    ///
    /// As ``ObservableType/using(_:observableFactory:)``.
    ///
    /// - Parameters:
    ///   - resourceFactory: called at each subscription, on the subscribing thread. An error it throws ends the
    ///     sequence.
    ///   - primitiveSequenceFactory: makes the sequence that uses the resource. An error it throws ends the sequence.
    @preconcurrency
    public static func using<Resource: Disposable>(
        _ resourceFactory: @escaping @Sendable () throws -> Resource,
        primitiveSequenceFactory: @escaping @Sendable (Resource) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: Observable.using(
                resourceFactory, observableFactory: unchecked { try primitiveSequenceFactory($0).source }))
    }

    /// Sends element and completion `dueTime` later; an error at once.
    ///
    /// As ``ObservableType/delay(_:scheduler:)``.
    public func delay(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delay(dueTime, scheduler: scheduler))
    }

    /// Subscribes to the source `dueTime` after it has been subscribed itself.
    ///
    /// As ``ObservableType/delaySubscription(_:scheduler:)``.
    public func delaySubscription(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.delaySubscription(dueTime, scheduler: scheduler))
    }

    /// Delivers on `scheduler`.
    ///
    /// As ``ObservableType/observe(on:)``.
    public func observe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.observe(on: scheduler))
    }

    /// Delivers on `scheduler`.
    ///
    /// As ``ObservableType/observe(on:)``.
    @available(*, deprecated, renamed: "observe(on:)")
    public func observeOn(_ scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        observe(on: scheduler)
    }

    /// Subscribes to the source, and disposes of it, on `scheduler`.
    ///
    /// As ``ObservableType/subscribe(on:)``.
    public func subscribe(on scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.subscribe(on: scheduler))
    }

    /// Subscribes to the source, and disposes of it, on `scheduler`.
    ///
    /// As ``ObservableType/subscribe(on:)``.
    @available(*, deprecated, renamed: "subscribe(on:)")
    public func subscribeOn(_ scheduler: any ImmediateSchedulerType) -> PrimitiveSequence<Trait, Element> {
        subscribe(on: scheduler)
    }

    /// Goes on with another sequence when the source fails.
    ///
    /// As ``ObservableType/catch(_:)``.
    ///
    /// - Parameter handler: called with the error, on the thread that delivers it. An error it throws ends the
    ///   sequence.
    @preconcurrency
    public func `catch`(
        _ handler: @escaping @Sendable (any Swift.Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.catch { try handler($0).source })
    }

    /// Goes on with another sequence when the source fails.
    ///
    /// As ``ObservableType/catch(_:)``.
    @available(*, deprecated, renamed: "catch(_:)")
    @preconcurrency
    public func catchError(
        _ handler: @escaping @Sendable (any Swift.Error) throws -> PrimitiveSequence<Trait, Element>
    ) -> PrimitiveSequence<Trait, Element> {
        `catch`(handler)
    }

    /// Subscribes to the source again when it fails, `maxAttemptCount` times in all.
    ///
    /// As ``ObservableType/retry(_:)``.
    public func retry(_ maxAttemptCount: Int) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(maxAttemptCount))
    }

    /// Subscribes to the source again each time the notifications send an element.
    ///
    /// As ``ObservableType/retry(when:)-9dup6``.
    ///
    /// - Parameter notificationHandler: makes the notifications of the errors, at each subscription.
    @preconcurrency
    public func retry(
        when notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> some ObservableType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler))
    }

    /// Subscribes to the source again each time the notifications send an element; an error of another type ends the
    /// sequence.
    ///
    /// As ``ObservableType/retry(when:)-9dup6``.
    ///
    /// - Parameter notificationHandler: makes the notifications of the errors, at each subscription.
    @preconcurrency
    public func retry<Error: Swift.Error>(
        when notificationHandler: @escaping @Sendable (Observable<Error>) -> some ObservableType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.retry(when: notificationHandler))
    }

    /// Subscribes to the source again each time the notifications send an element.
    ///
    /// As ``ObservableType/retry(when:)-9dup6``.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen(
        _ notificationHandler: @escaping @Sendable (Observable<any Swift.Error>) -> some ObservableType
    ) -> PrimitiveSequence<Trait, Element> {
        retry(when: notificationHandler)
    }

    /// Subscribes to the source again each time the notifications send an element; an error of another type ends the
    /// sequence.
    ///
    /// As ``ObservableType/retry(when:)-9dup6``.
    @available(*, deprecated, renamed: "retry(when:)")
    @preconcurrency
    public func retryWhen<Error: Swift.Error>(
        _ notificationHandler: @escaping @Sendable (Observable<Error>) -> some ObservableType
    ) -> PrimitiveSequence<Trait, Element> {
        retry(when: notificationHandler)
    }

    /// Prints every event.
    ///
    /// As ``ObservableType/debug(_:trimOutput:file:line:function:)``.
    ///
    /// - Parameters:
    ///   - identifier: stands before each line; the place of the call unless given.
    ///   - trimOutput: whether a long event is shortened.
    ///   - file: where the call stands.
    ///   - line: its line.
    ///   - function: the function that it stands in.
    public func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(
            raw: source.debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
    }

    /// Fails with ``RxError/timeout`` when nothing comes for `dueTime`.
    ///
    /// As ``ObservableType/timeout(_:scheduler:)``.
    public func timeout(_ dueTime: RxTimeInterval, scheduler: any SchedulerType) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, scheduler: scheduler))
    }

    /// Goes on with `other` when nothing comes for `dueTime`.
    ///
    /// As ``ObservableType/timeout(_:other:scheduler:)``.
    public func timeout(
        _ dueTime: RxTimeInterval, other: PrimitiveSequence<Trait, Element>, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.timeout(dueTime, other: other.source, scheduler: scheduler))
    }
}

extension PrimitiveSequenceType where Element: RxAbstractInteger {
    /// A sequence that sends zero after `dueTime` and completes.
    ///
    /// As ``ObservableType/timer(_:period:scheduler:)`` without a period.
    public static func timer(
        _ dueTime: RxTimeInterval, scheduler: any SchedulerType
    ) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: Observable<Element>.timer(dueTime, scheduler: scheduler))
    }
}
