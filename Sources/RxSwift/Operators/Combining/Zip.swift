extension ObservableType {
    /// A result of the first elements of all sources, then one of the second elements, and so on.
    ///
    ///     a:                      --1--2-------3--|
    ///     b:                      ------9--8--------|
    ///     zip([a, b]) { $0.sum }: ------10-10-------|
    ///
    /// ![The first with the first, the second with the second](marble-zip)
    ///
    /// Completes once all sources have completed, or once one of them sends in vain as the last that runs; fails with
    /// the first that fails. Without sources it completes at once.
    ///
    /// Sources may fire from several threads at once; results are made and delivered one at a time. What a source sends
    /// ahead of the others waits in memory without a bound, until its row is full, it is certain that no row will be,
    /// or the sequence ends.
    ///
    /// [Pausing](doc:BoundedMemory): all sources pause with what is below. The elements that wait for their partners
    /// are a boundary for each source, which pauses when as many wait as its bound says.
    ///
    /// - Parameters:
    ///   - collection: the sources, subscribed in their order.
    ///   - resultSelector: called with the elements of a row in the order of the sources. An error it throws ends the
    ///     sequence.
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
        Observable { _, assembly in
            let row = RowCoordinator<Element>(&assembly, .collection, count: collection.count)
            let backlogs = Backlogs(count: row.missing)
            let cells = (0..<row.missing).map { _ in BacklogCell<Collection.Element.Element>(in: backlogs) }
            let result: () throws -> Element = { try resultSelector(cells.map { $0.take() }) }
            if cells.isEmpty { row.end(nil) }
            for (source, cell) in Swift.zip(collection, cells) { row.zip(source.asObservable(), cell, result) }
            return nil
        }
    }

    /// A result of the first elements of all sources, then one of the second elements, and so on, with a bound on what
    /// a source may send ahead of the others.
    ///
    ///     Observable.zip([orders, prices], buffering: .pausing(256)) { "\($0[0]) at \($0[1])" }
    ///
    /// As ``zip(_:resultSelector:)``: the sources may fire from several threads at once. A source that cannot pause
    /// ends the sequence in ``FlowError/overflow(boundary:limit:source:)``; what is dropped is told to
    /// ``Hooks/droppedElementHandler``.
    ///
    /// - Parameters:
    ///   - collection: the sources, subscribed in their order.
    ///   - buffering: how many elements of each source may wait, and what becomes of more.
    ///   - resultSelector: called with the elements of a row in the order of the sources. An error it throws ends the
    ///     sequence.
    @inlinable
    @inline(never)
    @preconcurrency
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection, buffering: Buffering,
        resultSelector: @escaping @Sendable ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        zip(collection, resultSelector: resultSelector).rows(buffering)
    }

    /// The first elements of all sources, then the second elements, and so on. See ``zip(_:resultSelector:)``.
    ///
    /// - Parameter collection: the sources, subscribed in their order.
    @inlinable
    @inline(never)
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection
    ) -> Observable<[Element]> where Collection.Element: ObservableType, Collection.Element.Element == Element {
        Observable<[Element]>.zip(collection) { $0 }
    }
}

extension RowCoordinator {
    /// Subscribes to a source of a zip. Called by the one who subscribes.
    @inlinable
    func zip<Element>(
        _ source: Observable<Element>, _ cell: BacklogCell<Element>, _ result: @escaping () throws -> Output
    ) {
        if innerChains.flow != nil && zipBounded(source, cell, result) { return }
        source.subscribe(inner: OwningSink<ZipPort, _>(self, (cell, cell.backlogs.takeUnretainedValue(), result)))
    }

    /// Looks for the end after an element that fills no row.
    @inlinable
    @inline(__always)
    func tookInVain() {
        if form == .collection && running == 1 { end(nil) }
    }
}

/// All cells of a zip, without their elements' types. The gate's owner's.
@usableFromInline
final class Backlogs {
    private var cells: [any Backlog] = []
    /// Cells in which nothing waits.
    @usableFromInline
    @exclusivity(unchecked)
    var missing: Int
    /// Whether a source has ended with nothing waiting, so that no row will be full any more.
    @usableFromInline
    @exclusivity(unchecked)
    var isHopeless = false

    @usableFromInline
    init(count: Int) {
        missing = count
        cells.reserveCapacity(count)
    }

    // Out of line: a client need not have the code of an array that grows.
    @usableFromInline
    func add(_ cell: any Backlog) {
        cells.append(cell)
    }

    /// Frees what waits in vain, once: nothing more is kept after it.
    @usableFromInline
    func drop() {
        let cells = exchange(&self.cells, with: [])
        for cell in cells { cell.drop() }
    }
}

/// A cell of a zip, without its element's type.
@usableFromInline
protocol Backlog: AnyObject {
    /// How many elements wait.
    var waiting: Int { get }
    /// Frees what waits.
    func drop()
}

/// What a source has sent ahead of the others. The gate's owner's.
@usableFromInline
final class BacklogCell<Element>: Backlog {
    @usableFromInline
    @exclusivity(unchecked)
    var ring = Ring<Element>()
    @usableFromInline
    @exclusivity(unchecked)
    var isEnded = false
    /// Kept alive by every inner sink; a cell is asked for its element by an inner sink alone.
    @usableFromInline
    let backlogs: Unmanaged<Backlogs>

    @inlinable
    init(in backlogs: Backlogs) {
        self.backlogs = Unmanaged.passUnretained(backlogs)
        backlogs.add(self)
    }

    @inlinable
    @inline(__always)
    func append(_ element: Element) {
        if ring.isEmpty { backlogs._withUnsafeGuaranteedRef { $0.missing -= 1 } }
        ring.append(element)
    }

    /// Takes the oldest element out. There is one: the row is full.
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
        backlogs._withUnsafeGuaranteedRef {
            $0.missing += 1
            if isEnded { $0.isHopeless = true }
        }
    }

    @usableFromInline
    var waiting: Int { ring.count }

    @usableFromInline
    func drop() {
        // Mostly nothing waits, and the ring's type need not be looked up.
        guard ring.count > 0 else { return }
        var dropped = Ring<Element>()
        swap(&dropped, &ring)
    }
}

/// A source of a zip.
@usableFromInline
enum ZipPort<Element, Output>: OwningPort {
    @usableFromInline
    typealias Own = (cell: BacklogCell<Element>, backlogs: Backlogs, result: () throws -> Output)

    @inlinable
    @inline(__always)
    static func next(_ element: Element, _ row: RowCoordinator<Output>, _ source: InnerSink<Self>) {
        take(element, row, source)
    }

    @usableFromInline
    static func ended(_ error: (any Error)?, _ source: InnerSink<Self>) {
        end(error, source)
    }

    /// Handles an element of a source, which may have a port of its own.
    @inlinable
    @inline(__always)
    static func take<P: OwningPort>(_ element: Element, _ row: RowCoordinator<Output>, _ source: InnerSink<P>)
    where P.Own == Own {
        guard !source.own.backlogs.isHopeless else { return row.tookInVain() }
        source.own.cell.append(element)
        guard source.own.backlogs.missing == 0 else { return row.tookInVain() }
        guard row.isLive else { return }
        do {
            row.deliver(try source.own.result())
        } catch {
            return row.end(error)
        }
        if source.own.backlogs.isHopeless { source.own.backlogs.drop() }
    }

    /// Handles the end of a source, which may have a port of its own.
    @inline(__always)
    static func end<P: OwningPort>(_ error: (any Error)?, _ source: InnerSink<P>)
    where P.Own == Own, P.Target == RowCoordinator<Output> {
        source.own.cell.isEnded = true
        if source.own.cell.ring.isEmpty {
            source.own.backlogs.isHopeless = true
            source.own.backlogs.drop()
        }
        source.coordinator.ended(error, source.disposer)
    }
}
