// Operators of Infallible with several sources. Each forwards to the observable's operator that its comment names.

extension InfallibleType {
    /// Merges the sequences that `selector` returns.
    ///
    /// See ``ObservableType/flatMap(_:)``.
    @inlinable
    @preconcurrency
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().flatMap(selector))
    }

    /// The elements of the latest sequence that `selector` has returned.
    ///
    /// See ``ObservableType/flatMapLatest(_:)->Observable<Source.Element>``.
    @inlinable
    @preconcurrency
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().flatten(selector) { SwitchCoordinator(&$0) })
    }

    /// The elements of the sequences that `selector` returns. While an inner sequence runs, elements of this sequence
    /// are dropped.
    ///
    /// See ``ObservableType/flatMapFirst(_:)``.
    @inlinable
    @preconcurrency
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().flatMapFirst(selector))
    }

    /// The elements of the sequences that `selector` returns, one sequence after the other.
    ///
    /// See ``ObservableType/concatMap(_:)``.
    @inlinable
    @preconcurrency
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().concatMap(selector))
    }

    /// The elements of this sequence, then those of `second`.
    ///
    /// See ``ObservableType/concat(_:)-swift.method``.
    @inlinable
    public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Infallible<Element>
    where Source.Element == Element {
        Infallible(asObservable().concat(second))
    }

    /// The elements of all sources, one source after the other.
    ///
    /// See ``ObservableType/concat(_:)-(Sequence)``.
    @inlinable
    public static func concat<Sequence: Swift.Sequence>(_ sequence: Sequence) -> Infallible<Element>
    where Sequence.Element == Infallible<Element> {
        Infallible(Observable.concat(sequence.lazy.map { $0.asObservable() }))
    }

    /// The elements of all sources, one source after the other.
    ///
    /// See ``ObservableType/concat(_:)-(Sequence)``.
    @inlinable
    public static func concat<Collection: Swift.Collection>(_ collection: Collection) -> Infallible<Element>
    where Collection.Element == Infallible<Element> {
        Infallible(Observable.concat(collection.map { $0.asObservable() }))
    }

    /// The elements of all sources, one source after the other.
    ///
    /// See ``ObservableType/concat(_:)-(Sequence)``.
    @inlinable
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(Observable.concat(sources.map { $0.asObservable() }))
    }

    /// The elements of all sources, in the order of arrival.
    ///
    /// See ``ObservableType/merge(_:)-(Collection)``.
    @inlinable
    public static func merge<Collection: Swift.Collection>(_ sources: Collection) -> Infallible<Element>
    where Collection.Element == Infallible<Element> {
        Infallible(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// The elements of all sources, in the order of arrival.
    ///
    /// See ``ObservableType/merge(_:)-(Collection)``.
    @inlinable
    public static func merge(_ sources: [Infallible<Element>]) -> Infallible<Element> {
        Infallible(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// The elements of all sources, in the order of arrival.
    ///
    /// See ``ObservableType/merge(_:)-(Collection)``.
    @inlinable
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// The result of `resultSelector` for each element and the latest element of `second`.
    ///
    /// See ``ObservableType/withLatestFrom(_:resultSelector:)``.
    @inlinable
    @preconcurrency
    public func withLatestFrom<Source: InfallibleType, ResultType>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> ResultType
    ) -> Infallible<ResultType> {
        Infallible<ResultType>(asObservable().withLatestFrom(second.asObservable(), resultSelector: resultSelector))
    }

    /// The latest element of `second`, for each element of this sequence.
    ///
    /// See ``ObservableType/withLatestFrom(_:resultSelector:)``.
    @inlinable
    public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().withLatestFrom(second.asObservable()))
    }

    /// The result of `resultSelector` for the latest elements of all sources.
    ///
    /// See ``ObservableType/combineLatest(_:resultSelector:)``.
    @inlinable
    @preconcurrency
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection, resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Infallible<Element> where Collection.Element: InfallibleType {
        Infallible(Observable.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// The latest elements of all sources.
    ///
    /// See ``ObservableType/combineLatest(_:resultSelector:)``.
    @inlinable
    public static func combineLatest<Collection: Swift.Collection>(_ collection: Collection) -> Infallible<[Element]>
    where Collection.Element: InfallibleType, Collection.Element.Element == Element {
        Infallible<[Element]>(Observable.combineLatest(collection.map { $0.asObservable() }))
    }
}

extension ObservableType {
    /// The elements of the latest sequence that `selector` has returned.
    ///
    /// If the source fails or `selector` throws an error, the result ends without a completion, and the error is
    /// reported to ``Hooks/defaultErrorHandler``.
    ///
    /// See ``ObservableType/flatMapLatest(_:)->Observable<Source.Element>``.
    @inlinable
    @preconcurrency
    public func flatMapLatest<Source: InfallibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().flatten(selector) { SwitchCoordinator(&$0) })
    }
}
