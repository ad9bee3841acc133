extension ObservableType {
    /// A result of the latest element of each source, anew whenever one of them sends.
    ///
    ///     a:                               --1-------2----|
    ///     b:                               ----9--8---------|
    ///     combineLatest([a, b]) { $0.sum }: ----10-9-10-----|
    ///
    /// Starts once each source has sent. Completes once all have completed, or as soon as it is certain that one of
    /// them will never have sent, with the next element of another; fails with the first that fails. Without sources it
    /// sends the result of no elements and completes.
    ///
    /// Sources may fire from several threads at once; results are made and delivered one at a time. It keeps one
    /// element of each source, until the end.
    ///
    /// - Parameters:
    ///   - collection: the sources, subscribed in their order.
    ///   - resultSelector: called with the latest elements in the order of the sources. An error it throws ends the
    ///     sequence.
    @inlinable
    @inline(never)
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection,
        resultSelector: @escaping ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        RowProducer<Element>(.collection, count: collection.count) { junction in
            let cells = (0..<junction.missing).map { _ in LatestCell<Collection.Element.Element>() }
            let result: () throws -> Element = { try resultSelector(cells.map { $0.value }) }
            if cells.isEmpty { return junction.endAfter(result) }
            for (source, cell) in Swift.zip(collection, cells) { junction.combine(source.asObservable(), cell, result) }
        }
    }

    /// The latest element of each source, anew whenever one of them sends. See ``combineLatest(_:resultSelector:)``.
    ///
    /// - Parameter collection: the sources, subscribed in their order.
    @inlinable
    @inline(never)
    public static func combineLatest<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Observable<[Element]> where Collection.Element: ObservableType, Collection.Element.Element == Element {
        Observable<[Element]>.combineLatest(collection) { $0 }
    }
}

extension RowJunction {
    /// Subscribes to a source of a combineLatest. Called by the one who subscribes.
    @inlinable
    func combine<Element>(
        _ source: Observable<Element>, _ cell: LatestCell<Element>, _ result: @escaping () throws -> Output
    ) {
        source.subscribe(child: CombineLatestChild(self, cell, result), in: children)
    }

    /// Sends one result and completes.
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

/// The latest element of a source. The gate's owner's.
@usableFromInline
final class LatestCell<Element> {
    @usableFromInline
    @exclusivity(unchecked)
    var latest: Element?

    @inlinable
    init() {}

    /// The element, where there is one: asked for only when no cell of the row is without.
    @inlinable
    @inline(__always)
    var value: Element { latest.unsafelyUnwrapped }
}

/// A source of a combineLatest.
@usableFromInline
final class CombineLatestChild<Element, Output>: Child<Element>, GateTarget {
    @usableFromInline
    let junction: RowJunction<Output>
    @usableFromInline
    let cell: LatestCell<Element>
    // Each child has its own reference: one load away from the child it needs no counting.
    @usableFromInline
    let result: () throws -> Output

    @inlinable
    init(_ junction: RowJunction<Output>, _ cell: LatestCell<Element>, _ result: @escaping () throws -> Output) {
        self.junction = junction
        self.cell = cell
        self.result = result
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: CombineLatestChild<Element, Output>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Element) {
        if cell.latest == nil { junction.missing -= 1 }
        // Released after the change: its `deinit` may come back to here.
        withExtendedLifetime(exchange(&cell.latest, with: element)) {}
        guard junction.missing == 0 else {
            if junction.running == 1 { junction.end(nil) }
            return
        }
        guard junction.isLive else { return }
        do {
            junction.deliver(try result())
        } catch {
            junction.end(error)
        }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        junction.ended(disposer, error)
    }
}
