extension ObservableType {
    /// Each time a source sends, calls `resultSelector` with the latest elements of all sources and sends the result.
    ///
    ///     a:                                --1-------2----|
    ///     b:                                ----9--8---------|
    ///     combineLatest([a, b]) { $0.sum }: ----10-9--10-----|
    ///
    /// ![The sum of the latest elements, each time a source sends](marble-combine-latest)
    ///
    /// Sources may send on several threads at once.
    ///
    /// The first value is sent when each source has sent an element. The result completes when all sources have
    /// completed. If a source has completed without an element and only one source still runs, the result also
    /// completes when that source sends its next element. The result fails with the first error. Without sources, it
    /// sends `resultSelector([])` and completes.
    ///
    /// [Pausing](doc:BoundedMemory): all sources pause with the downstream chain.
    ///
    /// - Parameters:
    ///   - collection: the sources, subscribed to in this order.
    ///   - resultSelector: called with elements in the order of the sources. If it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - ``zip(_:resultSelector:)``
    /// - ``withLatestFrom(_:resultSelector:)``
    /// - [combinelatest on reactivex.io](https://reactivex.io/documentation/operators/combinelatest.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        Observable { _, context in
            let row = RowCoordinator<Element>(&context, .collection, count: collection.count)
            let cells = (0..<row.missing).map { _ in LatestCell<Collection.Element.Element>() }
            let result: () throws -> Element = { try resultSelector(cells.map { $0.value }) }
            if cells.isEmpty { row.endAfter(result) }
            for (source, cell) in Swift.zip(collection, cells) { row.combine(source.asObservable(), cell, result) }
            return nil
        }
    }

    /// Sends the latest elements of all sources each time a source sends. See ``combineLatest(_:resultSelector:)``.
    @inlinable
    @inline(never)
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Observable<[Element]> where Collection.Element: ObservableType, Collection.Element.Element == Element {
        Observable<[Element]>.combineLatest(collection) { $0 }
    }
}

extension RowCoordinator {
    @inlinable
    func combine<Element>(
        _ source: Observable<Element>, _ cell: LatestCell<Element>, _ result: @escaping () throws -> Output
    ) {
        source.subscribe(inner: OwningInnerObserver<CombineLatestHandler, _>(self, (cell, result)))
    }

    @inlinable
    func endAfter(_ result: () throws -> Output) {
        do {
            deliver(try result())
            end(nil)
        } catch {
            end(error)
        }
    }
}

/// The latest element of one source. Used only by the owner of the gate (see ``Coordinator``).
@usableFromInline
final class LatestCell<Element> {
    @usableFromInline
    @exclusivity(unchecked)
    var latest: Element?

    @inlinable
    init() {}

    /// Must not be read before all sources have sent an element.
    @inlinable
    @inline(__always)
    var value: Element { latest.unsafelyUnwrapped }
}

@usableFromInline
enum CombineLatestHandler<Element, Output>: OwningHandler {
    @usableFromInline
    typealias Own = (cell: LatestCell<Element>, result: () throws -> Output)

    @inlinable
    @inline(__always)
    static func next(_ element: Element, _ row: RowCoordinator<Output>, _ source: InnerObserver<Self>) {
        if source.own.cell.latest == nil { row.missing -= 1 }
        // Releases the old element after the assignment, because its `deinit` may send an event that reads `latest`.
        withExtendedLifetime(exchange(&source.own.cell.latest, with: element)) {}
        guard row.missing == 0 else {
            if row.running == 1 { row.end(nil) }
            return
        }
        guard row.isLive else { return }
        do {
            row.deliver(try source.own.result())
        } catch {
            row.end(error)
        }
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        source.coordinator.ended(error, source.lifetime)
    }
}
