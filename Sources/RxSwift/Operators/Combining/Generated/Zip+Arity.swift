// Written by scripts/generate-arities.py: each overload makes a cell for each source, and subscribes an inner
// observer to the source.

extension ObservableType {
    /// The result of `resultSelector` for the first elements of two sources, then for the second elements, and so on.
    ///
    /// See ``zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<O1: ObservableType, O2: ObservableType>(
        _ source1: O1, _ source2: O2,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
    ) -> Observable<Element> {
        let source1 = source1.asObservable()
        let source2 = source2.asObservable()
        return Observable { _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: 2)
            let backlogs = Backlogs(count: 2)
            let cell1 = BacklogCell<O1.Element>(in: backlogs)
            let cell2 = BacklogCell<O2.Element>(in: backlogs)
            let result: () throws -> Element = {
                try resultSelector(cell1.take(), cell2.take())
            }
            row.zip(source1, cell1, result)
            row.zip(source2, cell2, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The first elements of two sources, then the second elements, and so on.
    ///
    /// See ``ObservableType/zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    public static func zip<O1: ObservableType, O2: ObservableType>(
        _ source1: O1, _ source2: O2
    ) -> Observable<(O1.Element, O2.Element)> {
        Observable<(O1.Element, O2.Element)>.zip(
            source1, source2,
            resultSelector: { ($0, $1) })
    }
}

extension ObservableType {
    /// Like the overload without `buffering`, with a bound on the waiting elements.
    ///
    /// See ``zip(_:buffering:resultSelector:)``.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<O1: ObservableType, O2: ObservableType>(
        _ source1: O1, _ source2: O2, buffering: Buffering,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element) throws -> Element
    ) -> Observable<Element> {
        zip(source1, source2, resultSelector: resultSelector).rows(buffering)
    }
}

extension ObservableType where Element == Any {
    /// Like the overload without `buffering`, with a bound on the waiting elements.
    ///
    /// See ``ObservableType/zip(_:buffering:resultSelector:)``.
    @inlinable
    @inline(never)
    public static func zip<O1: ObservableType, O2: ObservableType>(
        _ source1: O1, _ source2: O2, buffering: Buffering
    ) -> Observable<(O1.Element, O2.Element)> {
        Observable<(O1.Element, O2.Element)>.zip(source1, source2, resultSelector: { ($0, $1) }).rows(buffering)
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the first elements of three sources, then for the second elements, and so on.
    ///
    /// See ``zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element) throws -> Element
    ) -> Observable<Element> {
        let source1 = source1.asObservable()
        let source2 = source2.asObservable()
        let source3 = source3.asObservable()
        return Observable { _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: 3)
            let backlogs = Backlogs(count: 3)
            let cell1 = BacklogCell<O1.Element>(in: backlogs)
            let cell2 = BacklogCell<O2.Element>(in: backlogs)
            let cell3 = BacklogCell<O3.Element>(in: backlogs)
            let result: () throws -> Element = {
                try resultSelector(cell1.take(), cell2.take(), cell3.take())
            }
            row.zip(source1, cell1, result)
            row.zip(source2, cell2, result)
            row.zip(source3, cell3, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The first elements of three sources, then the second elements, and so on.
    ///
    /// See ``ObservableType/zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    public static func zip<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3
    ) -> Observable<(O1.Element, O2.Element, O3.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element)>.zip(
            source1, source2, source3,
            resultSelector: { ($0, $1, $2) })
    }
}

extension ObservableType {
    /// Like the overload without `buffering`, with a bound on the waiting elements.
    ///
    /// See ``zip(_:buffering:resultSelector:)``.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3, buffering: Buffering,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element) throws -> Element
    ) -> Observable<Element> {
        zip(source1, source2, source3, resultSelector: resultSelector).rows(buffering)
    }
}

extension ObservableType where Element == Any {
    /// Like the overload without `buffering`, with a bound on the waiting elements.
    ///
    /// See ``ObservableType/zip(_:buffering:resultSelector:)``.
    @inlinable
    @inline(never)
    public static func zip<O1: ObservableType, O2: ObservableType, O3: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3, buffering: Buffering
    ) -> Observable<(O1.Element, O2.Element, O3.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element)>.zip(
            source1, source2, source3, resultSelector: { ($0, $1, $2) }
        ).rows(buffering)
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the first elements of four sources, then for the second elements, and so on.
    ///
    /// See ``zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element) throws -> Element
    ) -> Observable<Element> {
        let source1 = source1.asObservable()
        let source2 = source2.asObservable()
        let source3 = source3.asObservable()
        let source4 = source4.asObservable()
        return Observable { _, context in
            let row = RowCoordinator<Element>(&context, .arguments, count: 4)
            let backlogs = Backlogs(count: 4)
            let cell1 = BacklogCell<O1.Element>(in: backlogs)
            let cell2 = BacklogCell<O2.Element>(in: backlogs)
            let cell3 = BacklogCell<O3.Element>(in: backlogs)
            let cell4 = BacklogCell<O4.Element>(in: backlogs)
            let result: () throws -> Element = {
                try resultSelector(cell1.take(), cell2.take(), cell3.take(), cell4.take())
            }
            row.zip(source1, cell1, result)
            row.zip(source2, cell2, result)
            row.zip(source3, cell3, result)
            row.zip(source4, cell4, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The first elements of four sources, then the second elements, and so on.
    ///
    /// See ``ObservableType/zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    public static func zip<O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element)>.zip(
            source1, source2, source3, source4,
            resultSelector: { ($0, $1, $2, $3) })
    }
}

extension ObservableType {
    /// Like the overload without `buffering`, with a bound on the waiting elements.
    ///
    /// See ``zip(_:buffering:resultSelector:)``.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, buffering: Buffering,
        resultSelector: @escaping @Sendable (O1.Element, O2.Element, O3.Element, O4.Element) throws -> Element
    ) -> Observable<Element> {
        zip(source1, source2, source3, source4, resultSelector: resultSelector).rows(buffering)
    }
}

extension ObservableType where Element == Any {
    /// Like the overload without `buffering`, with a bound on the waiting elements.
    ///
    /// See ``ObservableType/zip(_:buffering:resultSelector:)``.
    @inlinable
    @inline(never)
    public static func zip<O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType>(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, buffering: Buffering
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element)>.zip(
            source1, source2, source3, source4, resultSelector: { ($0, $1, $2, $3) }
        ).rows(buffering)
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the first elements of five sources, then for the second elements, and so on.
    ///
    /// See ``zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<
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
            let backlogs = Backlogs(count: 5)
            let cell1 = BacklogCell<O1.Element>(in: backlogs)
            let cell2 = BacklogCell<O2.Element>(in: backlogs)
            let cell3 = BacklogCell<O3.Element>(in: backlogs)
            let cell4 = BacklogCell<O4.Element>(in: backlogs)
            let cell5 = BacklogCell<O5.Element>(in: backlogs)
            let result: () throws -> Element = {
                try resultSelector(cell1.take(), cell2.take(), cell3.take(), cell4.take(), cell5.take())
            }
            row.zip(source1, cell1, result)
            row.zip(source2, cell2, result)
            row.zip(source3, cell3, result)
            row.zip(source4, cell4, result)
            row.zip(source5, cell5, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The first elements of five sources, then the second elements, and so on.
    ///
    /// See ``ObservableType/zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element)>.zip(
            source1, source2, source3, source4, source5,
            resultSelector: { ($0, $1, $2, $3, $4) })
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the first elements of six sources, then for the second elements, and so on.
    ///
    /// See ``zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<
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
            let backlogs = Backlogs(count: 6)
            let cell1 = BacklogCell<O1.Element>(in: backlogs)
            let cell2 = BacklogCell<O2.Element>(in: backlogs)
            let cell3 = BacklogCell<O3.Element>(in: backlogs)
            let cell4 = BacklogCell<O4.Element>(in: backlogs)
            let cell5 = BacklogCell<O5.Element>(in: backlogs)
            let cell6 = BacklogCell<O6.Element>(in: backlogs)
            let result: () throws -> Element = {
                try resultSelector(cell1.take(), cell2.take(), cell3.take(), cell4.take(), cell5.take(), cell6.take())
            }
            row.zip(source1, cell1, result)
            row.zip(source2, cell2, result)
            row.zip(source3, cell3, result)
            row.zip(source4, cell4, result)
            row.zip(source5, cell5, result)
            row.zip(source6, cell6, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The first elements of six sources, then the second elements, and so on.
    ///
    /// See ``ObservableType/zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element)>.zip(
            source1, source2, source3, source4, source5, source6,
            resultSelector: { ($0, $1, $2, $3, $4, $5) })
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the first elements of seven sources, then for the second elements, and so on.
    ///
    /// See ``zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<
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
            let backlogs = Backlogs(count: 7)
            let cell1 = BacklogCell<O1.Element>(in: backlogs)
            let cell2 = BacklogCell<O2.Element>(in: backlogs)
            let cell3 = BacklogCell<O3.Element>(in: backlogs)
            let cell4 = BacklogCell<O4.Element>(in: backlogs)
            let cell5 = BacklogCell<O5.Element>(in: backlogs)
            let cell6 = BacklogCell<O6.Element>(in: backlogs)
            let cell7 = BacklogCell<O7.Element>(in: backlogs)
            let result: () throws -> Element = {
                try resultSelector(
                    cell1.take(), cell2.take(), cell3.take(), cell4.take(), cell5.take(), cell6.take(), cell7.take())
            }
            row.zip(source1, cell1, result)
            row.zip(source2, cell2, result)
            row.zip(source3, cell3, result)
            row.zip(source4, cell4, result)
            row.zip(source5, cell5, result)
            row.zip(source6, cell6, result)
            row.zip(source7, cell7, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The first elements of seven sources, then the second elements, and so on.
    ///
    /// See ``ObservableType/zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element)>.zip(
            source1, source2, source3, source4, source5, source6, source7,
            resultSelector: { ($0, $1, $2, $3, $4, $5, $6) })
    }
}

extension ObservableType {
    /// The result of `resultSelector` for the first elements of eight sources, then for the second elements, and so on.
    ///
    /// See ``zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<
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
            let backlogs = Backlogs(count: 8)
            let cell1 = BacklogCell<O1.Element>(in: backlogs)
            let cell2 = BacklogCell<O2.Element>(in: backlogs)
            let cell3 = BacklogCell<O3.Element>(in: backlogs)
            let cell4 = BacklogCell<O4.Element>(in: backlogs)
            let cell5 = BacklogCell<O5.Element>(in: backlogs)
            let cell6 = BacklogCell<O6.Element>(in: backlogs)
            let cell7 = BacklogCell<O7.Element>(in: backlogs)
            let cell8 = BacklogCell<O8.Element>(in: backlogs)
            let result: () throws -> Element = {
                try resultSelector(
                    cell1.take(), cell2.take(), cell3.take(), cell4.take(), cell5.take(), cell6.take(), cell7.take(),
                    cell8.take())
            }
            row.zip(source1, cell1, result)
            row.zip(source2, cell2, result)
            row.zip(source3, cell3, result)
            row.zip(source4, cell4, result)
            row.zip(source5, cell5, result)
            row.zip(source6, cell6, result)
            row.zip(source7, cell7, result)
            row.zip(source8, cell8, result)
            return nil
        }
    }
}

extension ObservableType where Element == Any {
    /// The first elements of eight sources, then the second elements, and so on.
    ///
    /// See ``ObservableType/zip(_:resultSelector:)``. Completes when all sources have completed, not earlier.
    @inlinable
    @inline(never)
    public static func zip<
        O1: ObservableType, O2: ObservableType, O3: ObservableType, O4: ObservableType, O5: ObservableType,
        O6: ObservableType, O7: ObservableType, O8: ObservableType
    >(
        _ source1: O1, _ source2: O2, _ source3: O3, _ source4: O4, _ source5: O5, _ source6: O6, _ source7: O7,
        _ source8: O8
    ) -> Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element)> {
        Observable<(O1.Element, O2.Element, O3.Element, O4.Element, O5.Element, O6.Element, O7.Element, O8.Element)>
            .zip(
                source1, source2, source3, source4, source5, source6, source7, source8,
                resultSelector: { ($0, $1, $2, $3, $4, $5, $6, $7) })
    }
}
