extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Like ``ObservableType/just(_:)``.
    @inlinable
    public static func just(_ element: Element) -> Single<Element> {
        Single(raw: Observable.just(element))
    }

    /// Like ``ObservableType/just(_:scheduler:)``.
    public static func just(_ element: Element, scheduler: any ImmediateSchedulerType) -> Single<Element> {
        Single(raw: Observable.just(element, scheduler: scheduler))
    }

    /// Like ``ObservableType/error(_:)``.
    @inlinable
    public static func error(_ error: any Swift.Error) -> Single<Element> {
        Single(raw: Observable.error(error))
    }

    /// Like ``ObservableType/never()``.
    @inlinable
    public static func never() -> Single<Element> {
        Single(raw: Observable.never())
    }

    /// Calls closures for the event. See
    /// ``ObservableType/do(onNext:afterNext:onError:afterError:onCompleted:afterCompleted:onSubscribe:onSubscribed:onDispose:)``.
    @preconcurrency
    public func `do`(
        onSuccess: (@Sendable (Element) throws -> Void)? = nil,
        afterSuccess: (@Sendable (Element) throws -> Void)? = nil,
        onError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        afterError: (@Sendable (any Swift.Error) throws -> Void)? = nil,
        onSubscribe: (@Sendable () -> Void)? = nil,
        onSubscribed: (@Sendable () -> Void)? = nil,
        onDispose: (@Sendable () -> Void)? = nil
    ) -> Single<Element> {
        Single(
            raw: source.do(
                onNext: onSuccess, afterNext: afterSuccess, onError: onError, afterError: afterError,
                onSubscribe: onSubscribe, onSubscribed: onSubscribed, onDispose: onDispose))
    }

    /// Like ``ObservableType/filter(_:)``.
    @inlinable
    @preconcurrency
    public func filter(_ predicate: @escaping @Sendable (Element) throws -> Bool) -> Maybe<Element> {
        Maybe(raw: source.filter(predicate))
    }

    /// Like ``ObservableType/map(_:)``.
    @inlinable
    @preconcurrency
    public func map<Result>(_ transform: @escaping @Sendable (Element) throws -> Result) -> Single<Result> {
        Single<Result>(raw: source.map(transform))
    }

    /// Like ``ObservableType/compactMap(_:)``.
    @inlinable
    @preconcurrency
    public func compactMap<Result>(_ transform: @escaping @Sendable (Element) throws -> Result?) -> Maybe<Result> {
        Maybe<Result>(raw: source.compactMap(transform))
    }

    /// Like ``ObservableType/flatMap(_:)``.
    @inlinable
    @preconcurrency
    public func flatMap<Result>(_ selector: @escaping @Sendable (Element) throws -> Single<Result>) -> Single<Result> {
        Single<Result>(raw: source.flatMap(selector))
    }

    /// Like ``ObservableType/flatMap(_:)``.
    @inlinable
    @preconcurrency
    public func flatMapMaybe<Result>(
        _ selector: @escaping @Sendable (Element) throws -> Maybe<Result>
    ) -> Maybe<Result> {
        Maybe<Result>(raw: source.flatMap(selector))
    }

    /// Like ``ObservableType/flatMap(_:)``.
    @inlinable
    @preconcurrency
    public func flatMapCompletable(_ selector: @escaping @Sendable (Element) throws -> Completable) -> Completable {
        Completable(raw: source.flatMap(selector))
    }

    /// All elements in one array. Fails with the first error. See ``ObservableType/zip(_:resultSelector:)``.
    public static func zip<Collection: Swift.Collection>(_ collection: Collection) -> PrimitiveSequence<
        Trait, [Element]
    >
    where Collection.Element == PrimitiveSequence<SingleTrait, Element> {
        zip(collection) { $0 }
    }

    /// The value of `resultSelector` for all elements. Fails with the first error.
    ///
    /// See ``ObservableType/zip(_:resultSelector:)``.
    ///
    /// - Parameters:
    ///   - collection: the singles, subscribed to in order.
    ///   - resultSelector: called with the elements in the order of the singles. If it throws, the result fails.
    @preconcurrency
    public static func zip<Collection: Swift.Collection, Result>(
        _ collection: Collection, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> PrimitiveSequence<Trait, Result> where Collection.Element == PrimitiveSequence<SingleTrait, Element> {
        if collection.isEmpty { return PrimitiveSequence.deferred { .just(try resultSelector([])) } }
        return PrimitiveSequence(raw: Observable.zip(collection.map(\.source), resultSelector: resultSelector))
    }

    /// Like ``ObservableType/catchAndReturn(_:)``.
    @inlinable
    public func catchAndReturn(_ element: Element) -> PrimitiveSequence<Trait, Element> {
        PrimitiveSequence(raw: source.catchAndReturn(element))
    }

    /// Like ``ObservableType/catchAndReturn(_:)``.
    @available(*, deprecated, renamed: "catchAndReturn(_:)")
    public func catchErrorJustReturn(_ element: Element) -> PrimitiveSequence<Trait, Element> {
        catchAndReturn(element)
    }

    /// This single as a ``Maybe``.
    @inlinable
    public func asMaybe() -> Maybe<Element> {
        Maybe(raw: source)
    }

    /// This single without its element.
    @inlinable
    public func asCompletable() -> Completable {
        source.ignoreElements().asCompletable()
    }
}
