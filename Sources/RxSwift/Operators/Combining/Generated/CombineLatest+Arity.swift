// Written by scripts/generate-arities.py: each overload makes a cell for each source, and subscribes an inner
// observer to the source.

extension ObservableType {
    /// The result of `resultSelector` for the latest elements of two sources.
    ///
    /// See ``combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source has completed
    /// without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func combineLatest<O1: ObservableType, O2: ObservableType>(
        _ source1: O1, _ source2: O2,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
    ) -> Observable<Element> {
        let source1 = source1.asObservable()
        let source2 = source2.asObservable()
        return Observable { _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: 2)
            let cell1 = LatestCell<O1.Element>()
            let cell2 = LatestCell<O2.Element>()
            let result: () throws -> Element = {
                try resultSelector(cell1.value, cell2.value)
            }
            row.combine(source1, cell1, result)
            row.combine(source2, cell2, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The latest elements of two sources.
    ///
    /// See ``ObservableType/combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source
    /// has completed without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    public static func combineLatest<O1: ObservableType, O2: ObservableType>(
        _ source1: O1, _ source2: O2
    ) -> Observable<(O1.Element, O2.Element)> {
        Observable<(O1.Element, O2.Element)>.combineLatest(
            source1, source2,
            resultSelector: { ($0, $1) })
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the latest elements of three sources.
    ///
    /// See ``combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source has completed
    /// without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element) throws -> Element
    ) -> Observable<Element> {
        let source1 = source1.asObservable()
        let source2 = source2.asObservable()
        let source3 = source3.asObservable()
        return Observable { _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: 3)
            let cell1 = LatestCell<O1.Element>()
            let cell2 = LatestCell<O2.Element>()
            let cell3 = LatestCell<O3.Element>()
            let result: () throws -> Element = {
                try resultSelector(cell1.value, cell2.value, cell3.value)
            }
            row.combine(source1, cell1, result)
            row.combine(source2, cell2, result)
            row.combine(source3, cell3, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The latest elements of three sources.
    ///
    /// See ``ObservableType/combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source
    /// has completed without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3
    ) -> Observable<(O1.Element, O2.Element, O3.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element)>.combineLatest(
            source1, source2, source3,
            resultSelector: { ($0, $1, $2) })
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the latest elements of four sources.
    ///
    /// See ``combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source has completed
    /// without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element) throws -> Element
    ) -> Observable<Element> {
        let source1 = source1.asObservable()
        let source2 = source2.asObservable()
        let source3 = source3.asObservable()
        let source4 = source4.asObservable()
        return Observable { _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: 4)
            let cell1 = LatestCell<O1.Element>()
            let cell2 = LatestCell<O2.Element>()
            let cell3 = LatestCell<O3.Element>()
            let cell4 = LatestCell<O4.Element>()
            let result: () throws -> Element = {
                try resultSelector(cell1.value, cell2.value, cell3.value, cell4.value)
            }
            row.combine(source1, cell1, result)
            row.combine(source2, cell2, result)
            row.combine(source3, cell3, result)
            row.combine(source4, cell4, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The latest elements of four sources.
    ///
    /// See ``ObservableType/combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source
    /// has completed without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    public static func combineLatest<O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element)>.combineLatest(
            source1, source2, source3, source4,
            resultSelector: { ($0, $1, $2, $3) })
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the latest elements of five sources.
    ///
    /// See ``combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source has completed
    /// without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5,
        resultSelector:
            @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element) throws -> Element
    ) -> Observable<Element> {
        let source1 = source1.asObservable()
        let source2 = source2.asObservable()
        let source3 = source3.asObservable()
        let source4 = source4.asObservable()
        let source5 = source5.asObservable()
        return Observable { _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: 5)
            let cell1 = LatestCell<O1.Element>()
            let cell2 = LatestCell<O2.Element>()
            let cell3 = LatestCell<O3.Element>()
            let cell4 = LatestCell<O4.Element>()
            let cell5 = LatestCell<O5.Element>()
            let result: () throws -> Element = {
                try resultSelector(cell1.value, cell2.value, cell3.value, cell4.value, cell5.value)
            }
            row.combine(source1, cell1, result)
            row.combine(source2, cell2, result)
            row.combine(source3, cell3, result)
            row.combine(source4, cell4, result)
            row.combine(source5, cell5, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The latest elements of five sources.
    ///
    /// See ``ObservableType/combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source
    /// has completed without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element)>.combineLatest(
            source1, source2, source3, source4, source5,
            resultSelector: { ($0, $1, $2, $3, $4) })
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the latest elements of six sources.
    ///
    /// See ``combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source has completed
    /// without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6,
        resultSelector:
            @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element) throws ->
            Element
    ) -> Observable<Element> {
        let source1 = source1.asObservable()
        let source2 = source2.asObservable()
        let source3 = source3.asObservable()
        let source4 = source4.asObservable()
        let source5 = source5.asObservable()
        let source6 = source6.asObservable()
        return Observable { _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: 6)
            let cell1 = LatestCell<O1.Element>()
            let cell2 = LatestCell<O2.Element>()
            let cell3 = LatestCell<O3.Element>()
            let cell4 = LatestCell<O4.Element>()
            let cell5 = LatestCell<O5.Element>()
            let cell6 = LatestCell<O6.Element>()
            let result: () throws -> Element = {
                try resultSelector(cell1.value, cell2.value, cell3.value, cell4.value, cell5.value, cell6.value)
            }
            row.combine(source1, cell1, result)
            row.combine(source2, cell2, result)
            row.combine(source3, cell3, result)
            row.combine(source4, cell4, result)
            row.combine(source5, cell5, result)
            row.combine(source6, cell6, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The latest elements of six sources.
    ///
    /// See ``ObservableType/combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source
    /// has completed without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element)>.combineLatest(
            source1, source2, source3, source4, source5, source6,
            resultSelector: { ($0, $1, $2, $3, $4, $5) })
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the latest elements of seven sources.
    ///
    /// See ``combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source has completed
    /// without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        resultSelector:
            @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)
            throws -> Element
    ) -> Observable<Element> {
        let source1 = source1.asObservable()
        let source2 = source2.asObservable()
        let source3 = source3.asObservable()
        let source4 = source4.asObservable()
        let source5 = source5.asObservable()
        let source6 = source6.asObservable()
        let source7 = source7.asObservable()
        return Observable { _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: 7)
            let cell1 = LatestCell<O1.Element>()
            let cell2 = LatestCell<O2.Element>()
            let cell3 = LatestCell<O3.Element>()
            let cell4 = LatestCell<O4.Element>()
            let cell5 = LatestCell<O5.Element>()
            let cell6 = LatestCell<O6.Element>()
            let cell7 = LatestCell<O7.Element>()
            let result: () throws -> Element = {
                try resultSelector(
                    cell1.value, cell2.value, cell3.value, cell4.value, cell5.value, cell6.value, cell7.value)
            }
            row.combine(source1, cell1, result)
            row.combine(source2, cell2, result)
            row.combine(source3, cell3, result)
            row.combine(source4, cell4, result)
            row.combine(source5, cell5, result)
            row.combine(source6, cell6, result)
            row.combine(source7, cell7, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The latest elements of seven sources.
    ///
    /// See ``ObservableType/combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source
    /// has completed without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)>.combineLatest(
            source1, source2, source3, source4, source5, source6, source7,
            resultSelector: { ($0, $1, $2, $3, $4, $5, $6) })
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the latest elements of eight sources.
    ///
    /// See ``combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source has completed
    /// without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType, O8: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        _ source8: O8,
        resultSelector:
            @escaping @Sendable (
                O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element
            ) throws -> Element
    ) -> Observable<Element> {
        let source1 = source1.asObservable()
        let source2 = source2.asObservable()
        let source3 = source3.asObservable()
        let source4 = source4.asObservable()
        let source5 = source5.asObservable()
        let source6 = source6.asObservable()
        let source7 = source7.asObservable()
        let source8 = source8.asObservable()
        return Observable { _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: 8)
            let cell1 = LatestCell<O1.Element>()
            let cell2 = LatestCell<O2.Element>()
            let cell3 = LatestCell<O3.Element>()
            let cell4 = LatestCell<O4.Element>()
            let cell5 = LatestCell<O5.Element>()
            let cell6 = LatestCell<O6.Element>()
            let cell7 = LatestCell<O7.Element>()
            let cell8 = LatestCell<O8.Element>()
            let result: () throws -> Element = {
                try resultSelector(
                    cell1.value, cell2.value, cell3.value, cell4.value, cell5.value, cell6.value, cell7.value,
                    cell8.value)
            }
            row.combine(source1, cell1, result)
            row.combine(source2, cell2, result)
            row.combine(source3, cell3, result)
            row.combine(source4, cell4, result)
            row.combine(source5, cell5, result)
            row.combine(source6, cell6, result)
            row.combine(source7, cell7, result)
            row.combine(source8, cell8, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The latest elements of eight sources.
    ///
    /// See ``ObservableType/combineLatest(_:resultSelector:)``. Completes when all sources have completed. If a source
    /// has completed without an element and only one source still runs, completes at that source's next element.
    @inlinable
    @inline(never)
    public static func combineLatest<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType, O8: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        _ source8: O8
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element)>
            .combineLatest(
                source1, source2, source3, source4, source5, source6, source7, source8,
                resultSelector: { ($0, $1, $2, $3, $4, $5, $6, $7) })
    }
}
