extension ObservableType {
    /// Sends the result of `resultSelector` for the first elements of all sources, then for their second elements, and
    /// so on.
    ///
    ///     a:                      --1--2-------3--|
    ///     b:                      ------9--8--------|
    ///     zip([a, b]) { $0.sum }: ------10-10-------|
    ///
    /// ![The first with the first, the second with the second](marble-zip)
    ///
    /// Sources may send on several threads at once.
    ///
    /// Completes when all sources have completed. If only one source still runs, also completes when that source sends
    /// an element that cannot be combined. Fails with the first error. Without sources, completes immediately.
    ///
    /// The surplus elements of a source wait in memory until they are combined or no more results are possible.
    ///
    /// [Pausing](doc:BoundedMemory): all sources pause with the downstream chain. In a bounded subscription, a source
    /// also pauses when the number of its waiting elements reaches the bound. Without a bound, their number is not
    /// limited.
    ///
    /// - Parameters:
    ///   - collection: the sources, subscribed to in this order.
    ///   - resultSelector: called with elements in the order of the sources. If it throws, the sequence fails.
    ///
    /// ## See Also
    ///
    /// - ``combineLatest(_:resultSelector:)``
    /// - ``withLatestFrom(_:resultSelector:)``
    /// - [zip on reactivex.io](https://reactivex.io/documentation/operators/zip.html)
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        Observable { _, context in
            let row = RowCoordinator<Element>(&context, .collection, count: collection.count)
            let backlogs = Backlogs(count: row.missing)
            let cells = (0..<row.missing).map { _ in BacklogCell<Collection.Element.Element>(in: backlogs) }
            let result: () throws -> Element = { try resultSelector(cells.map { $0.take() }) }
            if cells.isEmpty { row.end(nil) }
            for (source, cell) in Swift.zip(collection, cells) { row.zip(source.asObservable(), cell, result) }
            return nil
        }
    }

    /// Like ``zip(_:resultSelector:)``, with a bound on the waiting elements of each source.
    ///
    ///     Observable.zip([orders, prices], buffering: .pausing(256)) { "\($0[0]) at \($0[1])" }
    ///
    /// Sources may send on several threads at once. If a source that cannot pause exceeds the bound, the sequence fails
    /// with ``FlowError/overflow(boundary:limit:source:)``. Dropped elements are reported to
    /// ``Hooks/droppedElementHandler``.
    ///
    /// - Parameters:
    ///   - collection: the sources, subscribed to in this order.
    ///   - buffering: the bound on each source's waiting elements, and the policy for further elements.
    ///   - resultSelector: if it throws, the sequence fails.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection, buffering: Buffering,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        zip(collection, resultSelector: resultSelector).rows(buffering)
    }

    /// The first elements of all sources, then their second elements, and so on. See ``zip(_:resultSelector:)``.
    @inlinable
    @inline(never)
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Observable<[Element]> where Collection.Element: ObservableType, Collection.Element.Element == Element {
        Observable<[Element]>.zip(collection) { $0 }
    }
}

extension RowCoordinator {
    @inlinable
    func zip<Element>(
        _ source: Observable<Element>, _ cell: BacklogCell<Element>, _ result: @escaping () throws -> Output
    ) {
        if innerChains.flow != nil && zipBounded(source, cell, result) { return }
        source.subscribe(
            inner: OwningInnerObserver<ZipHandler, _>(self, (cell, cell.backlogs.object, result)))
    }

    /// Called for an element that yields no result. If no other source runs, a zip of a collection completes.
    @inlinable
    @inline(__always)
    func tookInVain() {
        if form == .collection && running == 1 { end(nil) }
    }
}

/// The cells of a zip, one for each source. Used only by the owner of the gate (see ``Coordinator``).
@usableFromInline
final class Backlogs {
    @usableFromInline
    struct State {
        @usableFromInline
        var missing: Int
        /// Whether no further result is possible: a source has ended and its cell is empty.
        @usableFromInline
        var isHopeless = false
    }

    private var cells: [any Backlog] = []
    @usableFromInline
    @exclusivity(unchecked)
    var state: State

    @usableFromInline
    init(count: Int) {
        state = State(missing: count)
        cells.reserveCapacity(count)
    }

    // Not inlined, so that client programs contain no code for growing an array.
    @usableFromInline
    func add(_ cell: any Backlog) {
        cells.append(cell)
    }

    @usableFromInline
    func drop() {
        let cells = exchange(&self.cells, with: [])
        for cell in cells { cell.drop() }
    }
}

@usableFromInline
protocol Backlog: AnyObject {
    var waiting: Int { get }
    func drop()
}

/// The waiting elements of one source. Used only by the owner of the gate.
@usableFromInline
final class BacklogCell<Element>: Backlog {
    @usableFromInline
    @exclusivity(unchecked)
    var ring = Ring<Element>()
    @usableFromInline
    @exclusivity(unchecked)
    var isEnded = false
    /// Unretained, because the inner observers retain the backlogs, and only these observers use the cell.
    @usableFromInline
    let backlogs: Unretained<Backlogs>

    @inlinable
    init(in backlogs: Backlogs) {
        self.backlogs = Unretained(backlogs)
        backlogs.add(self)
    }

    @inlinable
    @inline(__always)
    func append(_ element: Element) {
        if ring.isEmpty { backlogs.use { $0.state.missing -= 1 } }
        ring.append(element)
    }

    /// Each cell must have an element.
    @inlinable
    @inline(__always)
    func take() -> Element {
        let element = ring.removeFirst()
        if ring.isEmpty { emptied() }
        return element
    }

    @inlinable
    @inline(__always)
    func emptied() {
        backlogs.use {
            $0.state.missing += 1
            if isEnded { $0.state.isHopeless = true }
        }
    }

    @usableFromInline
    var waiting: Int { ring.count }

    @usableFromInline
    func drop() {
        // The ring is usually empty; the check saves a lookup of its type metadata.
        guard ring.count > 0 else { return }
        var dropped = Ring<Element>()
        swap(&dropped, &ring)
    }
}

@usableFromInline
enum ZipHandler<Element, Output>: OwningHandler {
    @usableFromInline
    typealias Own = (cell: BacklogCell<Element>, backlogs: Backlogs, result: () throws -> Output)

    @inlinable
    @inline(__always)
    static func next(_ element: Element, _ row: RowCoordinator<Output>, _ source: InnerObserver<Self>) {
        take(element, row, source)
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        end(error, source)
    }

    @inlinable
    @inline(__always)
    static func take<P: OwningHandler>(_ element: Element, _ row: RowCoordinator<Output>, _ source: InnerObserver<P>)
    where P.Own == Own {
        guard !source.own.backlogs.state.isHopeless else { return row.tookInVain() }
        source.own.cell.append(element)
        guard source.own.backlogs.state.missing == 0 else { return row.tookInVain() }
        guard row.isLive else { return }
        do {
            row.deliver(try source.own.result())
        } catch {
            return row.end(error)
        }
        if source.own.backlogs.state.isHopeless { source.own.backlogs.drop() }
    }

    @inline(__always)
    static func end<P: OwningHandler>(_ error: (any Error)?, _ source: InnerObserver<P>)
    where P.Own == Own, P.Target == RowCoordinator<Output> {
        source.own.cell.isEnded = true
        if source.own.cell.ring.isEmpty {
            source.own.backlogs.state.isHopeless = true
            source.own.backlogs.drop()
        }
        source.coordinator.ended(error, source.lifetime)
    }
}
