extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Like ``ObservableType/error(_:)``.
    @inlinable
    public static func error(_ error: any Swift.Error) -> Completable {
        Completable(raw: Observable.error(error))
    }

    /// Like ``ObservableType/never()``.
    @inlinable
    public static func never() -> Completable {
        Completable(raw: Observable.never())
    }

    /// Like ``ObservableType/empty()``.
    @inlinable
    public static func empty() -> Completable {
        Completable(raw: Observable.empty())
    }

    /// Calls closures for the event. See
    /// ``ObservableType/do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)``.
    @preconcurrency
    public func `do`(
        onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        onCompleted: (@Sendable () throws -> Void)? = nil,
        afterCompleted: (@Sendable () throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Completable {
        Completable(
            raw: source.do(
                onError: onError, afterError: afterError, onCompleted: onCompleted, afterCompleted: afterCompleted,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Like ``ObservableType/concat(_:)-swift.method``.
    public func concat(_ second: Completable) -> Completable {
        Completable(raw: source.concat(second.source))
    }

    /// Runs all completables, one after the other. Fails with the first error.
    ///
    /// See ``ObservableType/concat(_:)-(Sequence)``.
    ///
    /// - Parameter sequence: the completables, possibly infinitely many. The next one is requested when the previous
    ///   one has completed.
    public static func concat<Sequence: Swift.Sequence>(_ sequence: Sequence) -> Completable
    where Sequence.Element == PrimitiveSequence<CompletableTrait, Never> {
        Completable(raw: Observable.concat(sequence.lazy.map(\.source)))
    }

    /// Like ``ObservableType/concat(_:)-(Sequence)``.
    public static func concat<Collection: Swift.Collection>(_ collection: Collection) -> Completable
    where Collection.Element == PrimitiveSequence<CompletableTrait, Never> {
        Completable(raw: Observable.concat(collection.map(\.source)))
    }

    /// Like ``ObservableType/concat(_:)-(Sequence)``.
    public static func concat(_ sources: Completable...) -> Completable {
        Completable(raw: Observable.concat(sources.map(\.source)))
    }

    /// Runs all completables concurrently. Fails with the first error.
    ///
    /// See ``ObservableType/merge(_:)-(Collection)``.
    public static func zip<Collection: Swift.Collection>(_ sources: Collection) -> Completable
    where Collection.Element == PrimitiveSequence<CompletableTrait, Never> {
        Completable(raw: Observable.merge(sources.map(\.source)))
    }

    /// Like ``ObservableType/merge(_:)-(Collection)``.
    public static func zip(_ sources: [Completable]) -> Completable {
        Completable(raw: Observable.merge(sources.map(\.source)))
    }

    /// Like ``ObservableType/merge(_:)-(Collection)``.
    public static func zip(_ sources: Completable...) -> Completable {
        Completable(raw: Observable.merge(sources.map(\.source)))
    }
}
