extension ObservableType {
    /// A result of the first elements of all sources, then one of the second elements, and so on.
    ///
    ///     a:                     --1--2-------3--|
    ///     b:                     ------9--8--------|
    ///     zip([a, b]) { $0.sum }: ------10-10------|
    ///
    /// Completes once all sources have completed, or once one of them sends in vain as the last that runs; fails with
    /// the first that fails. Without sources it completes at once.
    ///
    /// Sources may fire from several threads at once; results are made and delivered one at a time. What a source sends
    /// ahead of the others waits in memory without a bound, until its row is full, it is certain that no row will be,
    /// or the sequence ends.
    ///
    /// - Parameters:
    ///   - collection: the sources, subscribed in their order.
    ///   - resultSelector: called with the elements of a row in the order of the sources. An error it throws ends the
    ///     sequence.
    @inlinable
    @inline(never)
    public static func zip<Collection: Swift.Collection>(
        _ collection: Collection,
        resultSelector: @escaping ([Collection.Element.Element]) throws -> Element
    ) -> Observable<Element> where Collection.Element: ObservableType {
        RowProducer<Element>(.collection, count: collection.count) { junction in
            let backlogs = Backlogs(count: junction.missing)
            let cells = (0..<junction.missing).map { _ in BacklogCell<Collection.Element.Element>(in: backlogs) }
            let result: () throws -> Element = { try resultSelector(cells.map { $0.take() }) }
            if cells.isEmpty { return junction.end(nil) }
            for (source, cell) in Swift.zip(collection, cells) { junction.zip(source.asObservable(), cell, result) }
        }
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

extension RowJunction {
    /// Subscribes to a source of a zip. Called by the one who subscribes.
    @inlinable
    func zip<Element>(
        _ source: Observable<Element>, _ cell: BacklogCell<Element>, _ result: @escaping () throws -> Output
    ) {
        source.subscribe(child: ZipChild(self, cell, result), in: children)
    }
}

/// All cells of a zip, without their elements' types. The gate's owner's.
@usableFromInline
final class Backlogs {
    @usableFromInline
    @exclusivity(unchecked)
    var cells: [any Backlog] = []
    /// Cells in which nothing waits.
    @usableFromInline
    @exclusivity(unchecked)
    var missing: Int
    /// Whether a source has ended with nothing waiting, so that no row will be full any more.
    @usableFromInline
    @exclusivity(unchecked)
    var isHopeless = false

    @inlinable
    init(count: Int) {
        missing = count
        cells.reserveCapacity(count)
    }

    /// How many elements wait.
    var waiting: Int { cells.reduce(0) { $0 + $1.waiting } }

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
    /// Kept alive by every child; a cell is asked for its element by a child alone.
    @usableFromInline
    let backlogs: Unmanaged<Backlogs>

    @inlinable
    init(in backlogs: Backlogs) {
        self.backlogs = Unmanaged.passUnretained(backlogs)
        backlogs.cells.append(self)
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
        var dropped = Ring<Element>()
        swap(&dropped, &ring)
    }
}

/// A source of a zip.
@usableFromInline
final class ZipChild<Element, Output>: Child<Element>, GateTarget {
    @usableFromInline
    let junction: RowJunction<Output>
    @usableFromInline
    let cell: BacklogCell<Element>
    @usableFromInline
    let backlogs: Backlogs
    // Each child has its own reference: one load away from the child it needs no counting.
    @usableFromInline
    let result: () throws -> Output

    @inlinable
    init(_ junction: RowJunction<Output>, _ cell: BacklogCell<Element>, _ result: @escaping () throws -> Output) {
        self.junction = junction
        self.cell = cell
        backlogs = cell.backlogs.takeUnretainedValue()
        self.result = result
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: ZipChild<Element, Output>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Element) {
        guard !backlogs.isHopeless else { return stepInVain() }
        cell.append(element)
        guard backlogs.missing == 0 else { return stepInVain() }
        guard junction.isLive else { return }
        do {
            junction.deliver(try result())
        } catch {
            return junction.end(error)
        }
        if backlogs.isHopeless { backlogs.drop() }
    }

    /// Looks for the end after an element that fills no row.
    @inlinable
    @inline(__always)
    func stepInVain() {
        if junction.form == .collection && junction.running == 1 { junction.end(nil) }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        cell.isEnded = true
        if cell.ring.isEmpty {
            backlogs.isHopeless = true
            backlogs.drop()
        }
        junction.ended(disposer, error)
    }
}
