extension InfallibleType {
    /// Like ``ObservableType/flatMap(_:)``.
    @inlinable
    @preconcurrency
    public func flatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().flatMap(selector))
    }

    /// Like ``ObservableType/flatMapLatest(_:)->Observable<Source.Element>``.
    @inlinable
    @preconcurrency
    public func flatMapLatest<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().flatten(selector) { SwitchCoordinator(&$0) })
    }

    /// Like ``ObservableType/flatMapFirst(_:)``.
    @inlinable
    @preconcurrency
    public func flatMapFirst<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().flatMapFirst(selector))
    }

    /// Like ``ObservableType/concatMap(_:)``.
    @inlinable
    @preconcurrency
    public func concatMap<Source: ObservableConvertibleType>(
        _ selector: @escaping @Sendable (Element) -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().concatMap(selector))
    }

    /// Like ``ObservableType/concat(_:)-swift.method``.
    @inlinable
    public func concat<Source: ObservableConvertibleType>(_ second: Source) -> Infallible<Element>
    where Source.Element == Element {
        Infallible(asObservable().concat(second))
    }

    /// Like ``ObservableType/concat(_:)-(Sequence)``.
    @inlinable
    public static func concat<Sequence: Swift.Sequence>(_ sequence: Sequence) -> Infallible<Element>
    where Sequence.Element == Infallible<Element> {
        Infallible(Observable.concat(sequence.lazy.map { $0.asObservable() }))
    }

    /// Like ``ObservableType/concat(_:)-(Sequence)``.
    @inlinable
    public static func concat<Collection: Swift.Collection>(_ collection: Collection) -> Infallible<Element>
    where Collection.Element == Infallible<Element> {
        Infallible(Observable.concat(collection.map { $0.asObservable() }))
    }

    /// Like ``ObservableType/concat(_:)-(Sequence)``.
    @inlinable
    public static func concat(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(Observable.concat(sources.map { $0.asObservable() }))
    }

    /// Like ``ObservableType/merge(_:)-(Collection)``.
    @inlinable
    public static func merge<Collection: Swift.Collection>(_ sources: Collection) -> Infallible<Element>
    where Collection.Element == Infallible<Element> {
        Infallible(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// Like ``ObservableType/merge(_:)-(Collection)``.
    @inlinable
    public static func merge(_ sources: [Infallible<Element>]) -> Infallible<Element> {
        Infallible(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// Like ``ObservableType/merge(_:)-(Collection)``.
    @inlinable
    public static func merge(_ sources: Infallible<Element>...) -> Infallible<Element> {
        Infallible(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// Like ``ObservableType/withLatestFrom(_:resultSelector:)``.
    @inlinable
    @preconcurrency
    public func withLatestFrom<Source: InfallibleType, ResultType>(
        _ second: Source, resultSelector: @escaping @Sendable (Element, Source.Element) throws -> ResultType
    ) -> Infallible<ResultType> {
        Infallible<ResultType>(asObservable().withLatestFrom(second.asObservable(), resultSelector: resultSelector))
    }

    /// For each element, sends the latest element of `second`. See
    /// ``ObservableType/withLatestFrom(_:resultSelector:)``.
    @inlinable
    public func withLatestFrom<Source: InfallibleType>(_ second: Source) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().withLatestFrom(second.asObservable()))
    }

    /// Like ``ObservableType/combineLatest(_:resultSelector:)``.
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
    /// Like ``ObservableType/flatMapLatest(_:)->Observable<Source.Element>``.
    ///
    /// If the source fails or `selector` throws, the result ends without a completion, and the error is reported to
    /// ``Hooks/defaultErrorHandler``.
    @inlinable
    @preconcurrency
    public func flatMapLatest<Source: InfallibleType>(
        _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Infallible<Source.Element> {
        Infallible<Source.Element>(asObservable().flatten(selector) { SwitchCoordinator(&$0) })
    }
}
