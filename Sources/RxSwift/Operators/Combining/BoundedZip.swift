internal import CRxCore

extension ObservableType {
    /// This zip, with a bound on what its sources may send ahead of each other.
    @usableFromInline
    func rows(_ buffering: Buffering) -> Observable<Element> {
        let zip = asObservable()
        let buffering = buffering.checked(by: "zip")
        return Observable { [zip] _, assembly in
            let scope = assembly.scope
            assembly.scope = FlowScope(scope?.buffering, home: scope?.home ?? .global, own: buffering)
            return .passUnretained(zip)
        }
    }
}

/// What a source of a zip may have sent ahead of the others. The gate's owner's.
final class BacklogBound {
    private let buffering: Buffering
    private let bound: Int
    private let cell: any Backlog
    /// The source's chain; nil where nothing pauses it.
    private let paused: InnerDisposer?
    private var isFull = false
    private var dropped = 0

    init(_ buffering: Buffering, _ cell: any Backlog, _ disposer: InnerDisposer) {
        self.buffering = buffering
        self.cell = cell
        bound = buffering.bound
        if case .pausing = buffering { paused = disposer } else { paused = nil }
    }

    enum Admission {
        case stays, isDropped, replacesOldest
        case fails(FlowError)
    }

    /// Whether it is the bound of a cell.
    func paces(_ cell: any Backlog) -> Bool { self.cell === cell }

    /// What becomes of an element that comes now.
    func admit(_ disposer: InnerDisposer) -> Admission {
        guard cell.waiting >= bound else { return .stays }
        switch buffering {
        case .oldest, .newest:
            dropped += 1
            Hooks.droppedElementHandler?("zip", buffering, dropped)
            if case .oldest = buffering { return .isDropped }
            return .replacesOldest
        case .pausing
        where crx_state_load_relaxed(disposer.chain) & CRX_CHAIN_HEEDS != 0
            && cell.waiting < bound + BoundarySource.onTheirWay:
            return .stays
        default:
            let name = disposer.disposeOverflowing() ?? "the source"
            return .fails(.overflow(boundary: "zip", limit: bound, source: name))
        }
    }

    /// Pauses the source of a full cell, and lets that of an empty one go on.
    func settle(_ row: Coordinator) {
        guard let paused else { return }
        let waiting = cell.waiting
        if !isFull && waiting >= bound {
            isFull = true
            row.change(paused, set: CRX_CHAIN_FULL)
        } else if isFull && waiting <= (bound < 4 ? 0 : bound / 4) {
            isFull = false
            row.change(paused, clear: CRX_CHAIN_FULL)
        }
    }
}

/// A source of a zip with a bound.
enum BoundedZipPort<Element, Output>: OwningPort {
    typealias Own = ZipPort<Element, Output>.Own

    static func next(_ element: Element, _ row: RowCoordinator<Output>, _ source: InnerSink<Self>) {
        let flow = row.innerChains.flow.unsafelyUnwrapped
        if let bound = flow.bounds.first(where: { $0.paces(source.own.cell) }), !source.own.backlogs.isHopeless {
            switch bound.admit(source.disposer) {
            case .stays: break
            case .isDropped: return row.tookInVain()
            case .replacesOldest:
                // In this order, for a cell that is empty counts as missing.
                source.own.cell.ring.append(element)
                withExtendedLifetime(source.own.cell.ring.removeFirst()) {}
                return row.tookInVain()
            case .fails(let error): return row.end(error)
            }
        }
        ZipPort.take(element, row, source)
        for bound in flow.bounds { bound.settle(row) }
    }

    static func ended(_ error: (any Error)?, _ source: InnerSink<Self>) {
        ZipPort<Element, Output>.end(error, source)
    }
}

extension RowCoordinator {
    /// Subscribes to a source of a zip that bounds what waits; false where nothing asks for it.
    @usableFromInline
    func zipBounded<Element>(
        _ source: Observable<Element>, _ cell: BacklogCell<Element>, _ result: @escaping () throws -> Output
    ) -> Bool {
        guard let flow = innerChains.flow, let own = flow.own, own != .unbounded else { return false }
        let sink = OwningSink<BoundedZipPort<Element, Output>>(
            self, (cell, cell.backlogs.takeUnretainedValue(), result))
        let bound = BacklogBound(own, cell, sink.disposer)
        // Sources before it may send already; its own elements come behind this.
        enter { flow.bounds.append(bound) }
        source.subscribe(inner: sink)
        return true
    }
}
