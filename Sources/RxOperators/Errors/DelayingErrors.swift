import RxSwift

extension ObservableType {
    /// The elements of all sources, in the order of arrival. If `delayingErrors` is true, errors are sent after the
    /// last source has ended.
    ///
    ///     a:                                   --1--#
    ///     b:                                   ----9-----8--|
    ///     merge([a, b], delayingErrors: true): --1-9-----8--#
    ///
    /// ![The error of the first source, after the last event of the second](marble-merge-delaying-errors)
    ///
    /// A single error is sent unchanged, several errors as one ``CompositeError``. Sources may send on several threads
    /// at once; events are delivered one at a time.
    ///
    /// Pausing: all sources pause with the downstream chain.
    ///
    /// - Parameters:
    ///   - sources: subscribed to in this order.
    ///   - delayingErrors: whether errors are sent at the end. If false, the sequence fails with the first error.
    public static func merge<Collection: Swift.Collection>(
        _ sources: Collection, delayingErrors: Bool
    ) -> Observable<Element> where Collection.Element == Observable<Element> {
        guard delayingErrors else { return merge(sources) }
        return .delaying { delayed in .merge(sources.map { delayed($0) }) }
    }

    /// The elements of all sources, one source after the other. If `delayingErrors` is true, errors are sent at the
    /// end.
    ///
    ///     a:                                    --1--#
    ///     b:                                         --2--|
    ///     concat([a, b], delayingErrors: true): --1----2--#
    ///
    /// ![The second source in spite of the error of the first, then this error](marble-concat-delaying-errors)
    ///
    /// Otherwise like ``merge(_:delayingErrors:)``.
    ///
    /// Pausing: the current source pauses with the downstream chain.
    public static func concat<Collection: Swift.Collection>(
        _ sources: Collection, delayingErrors: Bool
    ) -> Observable<Element> where Collection.Element == Observable<Element> {
        guard delayingErrors else { return concat(sources) }
        return .delaying { delayed in .concat(sources.map { delayed($0) }) }
    }

    /// The elements of the sequences that `selector` returns, in the order of arrival. If `delayingErrors` is true,
    /// errors are sent when the source and all inner sequences have ended.
    ///
    ///     source:                                      --1-----2---|
    ///     flatMap(delayingErrors: true) { $0 ──a──# }: ----1a----2a-#
    ///
    /// ![The second inner sequence in spite of the error of the first](marble-flat-map-delaying-errors)
    ///
    ///     ids.flatMap(delayingErrors: true) { client.load($0) }
    ///
    /// After an error of the source or of `selector`, no further inner sequence is subscribed to. Otherwise like
    /// ``merge(_:delayingErrors:)``.
    @preconcurrency
    public func flatMap<Source: ObservableConvertibleType>(
        delayingErrors: Bool, _ selector: @escaping @Sendable (Element) throws -> Source
    ) -> Observable<Source.Element> {
        guard delayingErrors else { return flatMap(selector) }
        let source = asObservable()
        return .delaying { delayed in delayed(source.map(selector)).mapUnchecked { delayed($0) }.merge() }
    }
}

extension ObservableType where Element: ObservableConvertibleType {
    /// The elements of the newest inner sequence. If `delayingErrors` is true, errors are sent after the source and the
    /// newest inner sequence have ended.
    ///
    ///     source:                                               --1-----2---|
    ///     map { $0 ──a──# }.switchLatest(delayingErrors: true): ----1a----2a-#
    ///
    /// ![The second inner sequence, then both errors](marble-switch-latest-delaying-errors)
    ///
    ///     searches.map { client.results(for: $0) }.switchLatest(delayingErrors: true)
    ///
    /// If the source fails, the newest inner sequence continues. Otherwise like ``merge(_:delayingErrors:)``.
    ///
    /// Pausing: the inner sequence pauses with the downstream chain.
    public func switchLatest(delayingErrors: Bool) -> Observable<Element.Element> {
        guard delayingErrors else { return switchLatest() }
        let source = asObservable()
        return .delaying { delayed in delayed(source).mapUnchecked { delayed($0) }.switchLatest() }
    }
}

extension ObservableType {
    /// The results of `resultSelector` for the latest elements of all sources. If `delayingErrors` is true, errors are
    /// sent at the end.
    ///
    ///     a:                                                      --1--#
    ///     b:                                                      ----9--8----|
    ///     combineLatest([a, b], delayingErrors: true) { $0.sum }: ----10-9----#
    ///
    /// ![The last element of the failed source stays in use](marble-combine-latest-delaying-errors)
    ///
    ///     Observable.combineLatest(sensors, delayingErrors: true) { $0.max() }
    ///
    /// The last element of a failed source is still combined. The sequence ends when all sources have ended, or one has
    /// ended without an element. Otherwise like ``merge(_:delayingErrors:)``.
    ///
    /// `resultSelector` takes the elements in the order of the sources. If it throws, the sequence fails at once.
    @preconcurrency
    public static func combineLatest<Collection: Swift.Collection>(
        _ sources: Collection, delayingErrors: Bool,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        guard delayingErrors else { return combineLatest(sources, resultSelector: resultSelector) }
        return .delaying { delayed in
            .combineLatest(sources.map { delayed($0) }, resultSelector: resultSelector)
        }
    }

    /// The results of `resultSelector` for the first elements of all sources, for the second ones, and so on. If
    /// `delayingErrors` is true, errors are sent at the end.
    ///
    ///     a:                                            --1--2--#
    ///     b:                                            ----9-----8----|
    ///     zip([a, b], delayingErrors: true) { $0.sum }: ----10----10---#
    ///
    /// ![The elements of the failed source are paired](marble-zip-delaying-errors)
    ///
    ///     Observable.zip(columns, delayingErrors: true) { Row($0) }
    ///
    /// A failed source counts as completed; its elements are still paired. Otherwise like ``merge(_:delayingErrors:)``.
    ///
    /// `resultSelector` takes the elements in the order of the sources. If it throws, the sequence fails at once.
    @preconcurrency
    public static func zip<Collection: Swift.Collection>(
        _ sources: Collection, delayingErrors: Bool,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        guard delayingErrors else { return zip(sources, resultSelector: resultSelector) }
        return .delaying { delayed in .zip(sources.map { delayed($0) }, resultSelector: resultSelector) }
    }
}
