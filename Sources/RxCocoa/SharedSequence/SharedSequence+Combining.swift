import RxSwift

// For threads and closures, see ``SharedSequence``.

// MARK: flatMap

extension SharedSequenceConvertibleType {
    /// Merges the sequences that `selector` returns.
    ///
    /// See `ObservableType.flatMap(_:)`.
    @inlinable
    @preconcurrency
    public func flatMap<Sharing, Result>(
        _ selector: @escaping @Sendable (Element) -> SharedSequence<Sharing, Result>
    ) -> SharedSequence<Sharing, Result> {
        SharedSequence<Sharing, Result>(asObservable().flatMap(selector))
    }

    /// The elements of the latest sequence that `selector` has returned.
    ///
    /// See `ObservableType.flatMapLatest(_:)`.
    @inlinable
    @preconcurrency
    public func flatMapLatest<Sharing, Result>(
        _ selector: @escaping @Sendable (Element) -> SharedSequence<Sharing, Result>
    ) -> SharedSequence<Sharing, Result> {
        SharedSequence<Sharing, Result>(asObservable().flatMapLatest(selector))
    }

    /// The elements of the sequences that `selector` returns. While one runs, elements of this sequence are dropped.
    ///
    /// See `ObservableType.flatMapFirst(_:)`.
    @inlinable
    @preconcurrency
    public func flatMapFirst<Sharing, Result>(
        _ selector: @escaping @Sendable (Element) -> SharedSequence<Sharing, Result>
    ) -> SharedSequence<Sharing, Result> {
        SharedSequence<Sharing, Result>(asObservable().flatMapFirst(selector))
    }
}

// MARK: merge, switchLatest

extension SharedSequenceConvertibleType where Element: SharedSequenceConvertibleType {
    /// Merges all inner sequences.
    ///
    /// See `ObservableType.merge()`.
    @inlinable
    public func merge() -> SharedSequence<Element.SharingStrategy, Element.Element> {
        SharedSequence<Element.SharingStrategy, Element.Element>(asObservable().merge())
    }

    /// Merges the inner sequences, at most `maxConcurrent` at a time. Further sequences wait.
    ///
    /// See `ObservableType.merge(maxConcurrent:)`.
    @inlinable
    public func merge(maxConcurrent: Int) -> SharedSequence<Element.SharingStrategy, Element.Element> {
        SharedSequence<Element.SharingStrategy, Element.Element>(asObservable().merge(maxConcurrent: maxConcurrent))
    }

    /// The elements of the latest inner sequence that this sequence has sent.
    ///
    /// Like `ObservableType.flatMapLatest(_:)` with the elements as sequences.
    @inlinable
    public func switchLatest() -> SharedSequence<Element.SharingStrategy, Element.Element> {
        SharedSequence<Element.SharingStrategy, Element.Element>(asObservable().switchLatest())
    }
}

extension SharedSequenceConvertibleType {
    /// The elements of all sources, in the order of arrival.
    ///
    /// See `ObservableType.merge(_:)`.
    @inlinable
    public static func merge<Collection: Swift.Collection>(_ sources: Collection) -> SharedSequence<
        SharingStrategy, Element
    >
    where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// The elements of all sources, in the order of arrival.
    ///
    /// See `ObservableType.merge(_:)`.
    @inlinable
    public static func merge(
        _ sources: [SharedSequence<SharingStrategy, Element>]
    ) -> SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.merge(sources.map { $0.asObservable() }))
    }

    /// The elements of all sources, in the order of arrival.
    ///
    /// See `ObservableType.merge(_:)`.
    @inlinable
    public static func merge(
        _ sources: SharedSequence<SharingStrategy, Element>...
    ) -> SharedSequence<SharingStrategy, Element> {
        merge(sources)
    }
}

// MARK: concat

extension SharedSequence {
    /// The elements of all sources, one source after the other.
    ///
    /// See `ObservableType.concat(_:)`.
    @inlinable
    public static func concat<Sequence: Swift.Sequence>(_ sequence: Sequence) -> SharedSequence<
        SharingStrategy, Element
    >
    where Sequence.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.concat(sequence.lazy.map { $0.asObservable() }))
    }

    /// The elements of all sources, one source after the other.
    ///
    /// See `ObservableType.concat(_:)`.
    @inlinable
    public static func concat<Collection: Swift.Collection>(_ collection: Collection) -> SharedSequence<
        SharingStrategy, Element
    >
    where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence(Observable.concat(collection.map { $0.asObservable() }))
    }
}

// MARK: zip, combineLatest

extension SharedSequence {
    /// The results of `resultSelector` for the first elements of all sources, then for their second elements, and so
    /// on.
    ///
    /// See `ObservableType.zip(_:resultSelector:)`.
    @inlinable
    @preconcurrency
    public static func zip<Collection: Swift.Collection, Result>(
        _ collection: Collection, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> SharedSequence<SharingStrategy, Result> where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence<SharingStrategy, Result>(
            Observable.zip(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// The first elements of all sources, then their second elements, and so on.
    ///
    /// See `ObservableType.zip(_:resultSelector:)`.
    @inlinable
    public static func zip<Collection: Swift.Collection>(_ collection: Collection) -> SharedSequence<
        SharingStrategy, [Element]
    >
    where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence<SharingStrategy, [Element]>(Observable.zip(collection.map { $0.asObservable() }))
    }

    /// The results of `resultSelector` for the latest elements of all sources, each time a source sends an element.
    ///
    /// See `ObservableType.combineLatest(_:resultSelector:)`.
    @inlinable
    @preconcurrency
    public static func combineLatest<Collection: Swift.Collection, Result>(
        _ collection: Collection, resultSelector: @escaping @Sendable ([Element]) throws -> Result
    ) -> SharedSequence<SharingStrategy, Result> where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence<SharingStrategy, Result>(
            Observable.combineLatest(collection.map { $0.asObservable() }, resultSelector: resultSelector))
    }

    /// The latest elements of all sources.
    ///
    /// See `ObservableType.combineLatest(_:resultSelector:)`.
    @inlinable
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> SharedSequence<SharingStrategy, [Element]>
    where Collection.Element == SharedSequence<SharingStrategy, Element> {
        SharedSequence<SharingStrategy, [Element]>(Observable.combineLatest(collection.map { $0.asObservable() }))
    }
}

// MARK: withLatestFrom

extension SharedSequenceConvertibleType {
    /// The results of `resultSelector` for each element and the latest element of `second`.
    ///
    /// See `ObservableType.withLatestFrom(_:resultSelector:)`.
    @inlinable
    @preconcurrency
    public func withLatestFrom<SecondO: SharedSequenceConvertibleType, ResultType>(
        _ second: SecondO, resultSelector: @escaping @Sendable (Element, SecondO.Element) -> ResultType
    ) -> SharedSequence<SharingStrategy, ResultType> where SecondO.SharingStrategy == SharingStrategy {
        SharedSequence<SharingStrategy, ResultType>(
            asObservable().withLatestFrom(second.asObservable(), resultSelector: resultSelector))
    }

    /// The latest element of `second`, sent at each element of this sequence.
    ///
    /// See `ObservableType.withLatestFrom(_:resultSelector:)`.
    @inlinable
    public func withLatestFrom<SecondO: SharedSequenceConvertibleType>(
        _ second: SecondO
    ) -> SharedSequence<SharingStrategy, SecondO.Element> {
        SharedSequence<SharingStrategy, SecondO.Element>(asObservable().withLatestFrom(second.asObservable()))
    }
}
