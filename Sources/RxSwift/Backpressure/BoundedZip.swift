extension ObservableType {
    @usableFromInline
    func rows(_ buffering: Buffering) -> Observable<Element> {
        let zip = asObservable()
        let buffering = buffering.checked(by: "zip")
        return Observable { [zip] _, context in
            context.enterScope(context.scope?.buffering, own: buffering)
            return zip
        }
    }
}

/// The bound on the waiting elements of one source of a zip. Used only by the owner of the gate (see ``Coordinator``).
final class BacklogBound {
    let bound: QueueBound
    private let cell: any Backlog
    private var counted = 0

    init(_ buffering: Buffering, _ cell: any Backlog, _ source: InnerLifetime) {
        self.cell = cell
        bound = QueueBound("zip", buffering, filledBy: source)
    }

    func paces(_ cell: any Backlog) -> Bool { self.cell === cell }

    func admit() -> QueueBound.Admission { bound.admit(cell.waiting) }

    func settle() {
        if let counters = bound.counters {
            let more = cell.waiting - counted
            if more > 0 { counters.entered(more) } else { counters.left(-more) }
            counted += more
        }
        if bound.settle(cell.waiting) { bound.notifySource() }
    }
}

enum BoundedZipHandler<Element, Output>: OwningHandler {
    typealias Own = ZipHandler<Element, Output>.Own

    static func next(_ element: Element, _ row: RowCoordinator<Output>, _ source: InnerObserver<Self>) {
        let flow = row.innerChains.flow.unsafelyUnwrapped
        if let bound = flow.bounds.first(where: { $0.paces(source.own.cell) }), !source.own.backlogs.state.isHopeless {
            switch bound.admit() {
            case .stays: break
            case .isDropped:
                row.tookInVain()
                return bound.bound.reportDrop()
            case .replacesOldest:
                // Appends before removing, because the zip would treat an empty cell as a missing element.
                source.own.cell.ring.append(element)
                withExtendedLifetime(source.own.cell.ring.removeFirst()) {}
                row.tookInVain()
                return bound.bound.reportDrop()
            case .overflows:
                if let error = bound.bound.overflow() { row.end(error) }
                return
            }
        }
        ZipHandler.take(element, row, source)
        for bound in flow.bounds { bound.settle() }
    }

    static func ended(_ error: (any Error)?, _ source: InnerObserver<Self>) {
        let row = source.coordinator
        ZipHandler<Element, Output>.end(error, source)
        // The zip has dropped elements that no row can contain any more. A source that was paused because of them
        // resumes now, so that it can end.
        for bound in row.innerChains.flow.unsafelyUnwrapped.bounds { bound.settle() }
    }
}

extension RowCoordinator {
    /// Subscribes to a source with a bound. If no bound applies, returns false without subscribing.
    @usableFromInline
    func zipBounded<Element>(
        _ source: Observable<Element>, _ cell: BacklogCell<Element>, _ result: @escaping () throws -> Output
    ) -> Bool {
        guard let flow = innerChains.flow, let own = flow.own, own != .unbounded else { return false }
        let sink = OwningInnerObserver<BoundedZipHandler<Element, Output>, _>(
            self, (cell, cell.backlogs.object, result))
        let bound = BacklogBound(own, cell, sink.lifetime)
        // Inside the gate, because the gate's owner may already be reading `bounds`.
        enter { flow.bounds.append(bound) }
        source.subscribe(inner: sink)
        return true
    }
}
