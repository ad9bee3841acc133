public import CRxCore

/// A `filter`, or a `map` that does not change the type of the elements.
@usableFromInline
enum Step<Element> {
    case map(Map<Element, Element>)
    case filter(Filter<Element>)
}

/// Consecutive steps share one sink. On subscription, the most downstream producer makes the sink and returns the
/// source above the most upstream step.
@usableFromInline
final class MapFilterProducer<Element>: Observable<Element>, @unchecked Sendable {  // immutable
    @usableFromInline
    let source: Observable<Element>
    @usableFromInline
    let step: Step<Element>
    /// The number of consecutive steps that end with this one.
    @usableFromInline
    let count: Int

    // Inlined, because a call would retain the source and the closure once more.
    @inlinable
    @inline(__always)
    init(_ source: Observable<Element>, _ step: Step<Element>) {
        self.source = source
        self.step = step
        let isStep = FastPaths.areUsed && type(of: source) == MapFilterProducer<Element>.self
        count = isStep ? unsafeDowncast(source, to: MapFilterProducer<Element>.self).count + 1 : 1
        super.init { base, context in
            let me = unsafeDowncast(base, to: MapFilterProducer<Element>.self)
            let down = context.takeTop(for: Element.self)
            // Not fused while subscriptions are listed, because the list shows where each step is called.
            if me.count > 1 && !crx_watch_any(CRX_WATCH_LISTING) {
                let (sink, source) = FusedMapFilter.make(down, lowest: me)
                context.top = sink
                return source
            }
            switch me.step {
            case .map(let map): context.top = LinearSink(down, map)
            case .filter(let filter): context.top = LinearSink(down, filter: filter)
            }
            return me.source
        }
    }

    override var operatorName: OperatorName {
        switch step {
        case .map: .known("map")
        case .filter: .known("filter")
        }
    }
}

extension LinearSink {
    /// A sink that calls the predicate directly: a call through ``FilteringOperator`` would copy the element.
    @inlinable
    convenience init<Element>(_ down: Sink<Element>, filter: Filter<Element>)
    where Operator == Filter<Element>, State == Void {
        self.init(down, filter) { base, element in
            let me = unsafeDowncast(base, to: LinearSink<Filter<Element>, Void>.self)
            guard me.isLive else { return }
            do {
                if try me.op.predicate(element) { me.deliver(element) }
            } catch {
                me.fail(error)
            }
        }
    }
}

/// The stage of consecutive steps. It behaves as if each step had a stage of its own:
/// - Each call of a closure is preceded by a check that the subscription is live.
/// - An error is reported for the operator whose closure throws it.
/// - If a closure makes the source send an element, that element passes all steps before the current element continues.
@usableFromInline
final class FusedMapFilter<Element>: Stage<Element, Element> {
    /// A closure that cannot be copied, so a call does not retain it.
    @usableFromInline
    enum Cell: ~Copyable {
        case map((Element) throws -> Element)
        case filter((Element) throws -> Bool)

        @inlinable
        init(_ step: Step<Element>) {
            switch step {
            case .map(let map): self = .map(map.transform)
            case .filter(let filter): self = .filter(filter.predicate)
            }
        }
    }

    @usableFromInline
    let cells: UnsafeMutablePointer<Cell>
    @usableFromInline
    let count: Int
    /// Frees the cells. Made by specialised code, because unspecialised code in `deinit` would look up the metadata of
    /// the cells' type.
    @usableFromInline
    let freeCells: (UnsafeMutablePointer<Cell>, Int) -> Void

    @inlinable
    init(_ down: Sink<Element>, _ cells: UnsafeMutablePointer<Cell>, _ count: Int) {
        self.cells = cells
        self.count = count
        freeCells = { cells, count in
            cells.deinitialize(count: count)
            cells.deallocate()
        }
        super.init(down: down) { base, element in
            let me = unsafeDowncast(base, to: FusedMapFilter<Element>.self)
            var element = element
            for index in 0..<me.count {
                guard me.isLive else { return }
                do {
                    switch me.cells[index] {
                    case .map(let transform): element = try transform(element)
                    case .filter(let predicate): guard try predicate(element) else { return }
                    }
                } catch {
                    return me.fail(error, at: index)
                }
            }
            me.deliver(element)
        }
    }

    deinit {
        freeCells(cells, count)
    }

    @inlinable
    static func make(
        _ down: Sink<Element>, lowest: MapFilterProducer<Element>
    ) -> (FusedMapFilter, source: ObservableBase) {
        let cells = UnsafeMutablePointer<Cell>.allocate(capacity: lowest.count)
        // `lowest` retains the producers above it.
        var source = Unretained<ObservableBase>(lowest)
        for index in stride(from: lowest.count - 1, through: 0, by: -1) {
            source = source.use {
                let producer = unsafeDowncast($0, to: MapFilterProducer<Element>.self)
                (cells + index).initialize(to: Cell(producer.step))
                return Unretained(producer.source)
            }
        }
        return (FusedMapFilter(down, cells, lowest.count), source.object)
    }

    @usableFromInline
    func fail(_ error: consuming any Error, at index: Int) {
        switch cells[index] {
        case .map: ErrorTrace.named(Map<Element, Element>.self, error) { end(error) }
        case .filter: ErrorTrace.named(Filter<Element>.self, error) { end(error) }
        }
    }
}
