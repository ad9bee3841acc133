public import CRxCore

/// A running source occupies one of `limit` places. When the source's end has been handled or enqueued in the gate (see
/// ``Coordinator``), the thread that sent the end gives the place to the next source.
@usableFromInline
final class LimitedMergeCoordinator<Output>: LimitedFlattener<Output>, FlatteningCoordinator {
    // MARK: The outer source

    @inlinable
    @inline(__always)
    func admit() -> Admission {
        guard hasPlace else { return .waits }
        made += 1
        return .runs
    }

    @inlinable
    @inline(__always)
    func add(_ source: consuming Observable<Output>, _ admission: Admission, _ outer: InnerLifetime) {
        guard admission == .runs else { return queue(source) }
        guard run(source, number, of: outer) else { return }
        // If all earlier sources have ended, the end of this source is counted without the lock.
        if Int(crx_flag_load_acquire(&ended)) == made - 1 {
            crx_flag_store_release(&ended, UInt(made))
        } else {
            passPlaceOn()
        }
    }

    /// The number of sources that must have finished before a nested call may handle events of the new source; see
    /// `mayNest`. With a limit of 1, these are all earlier sources.
    @inlinable
    var number: Int { limit == 1 ? Int(crx_flag_load_acquire(&ended)) : 0 }

    @usableFromInline
    func queue(_ source: Observable<Output>) {
        let waits = queue(source, unless: hasPlace)
        // With a limit of 0, queued sources never run. They are not counted, so the result can complete.
        if limit > 0 { made += 1 }
        if !waits { run(source) }
    }

    @usableFromInline
    override func outerEnded(_ error: (any Error)?, _ outer: InnerLifetime) {
        // If no source runs, the end is sent before the outer source is disposed of, as in RxSwift.
        if ending.finished == made && error == nil { end(nil) } else { super.outerEnded(error, outer) }
    }

    // MARK: Places

    @usableFromInline
    @inline(never)
    func passPlaceOn() {
        if let next = vacate() { run(resumeOuter(for: next)) }
    }

    private func run(_ source: Observable<Output>) {
        var next: Observable<Output>? = source
        while let source = next {
            guard begin(startable(source)) else { return }
            next = vacate().map { resumeOuter(for: $0) }
        }
    }

    /// Returns whether `source` has ended on this thread during this call.
    private func begin(_ source: Observable<Output>) -> Bool {
        if let element = Scalar.element(of: source) {
            send(scalar: element, number, of: nil)
            return true
        }
        let sink = FlattenedSource<LimitedMergeCoordinator>(self, number, subscriber: crx_thread_self())
        source.subscribe(successor: sink, sink.lifetime, in: innerChains)
        // The source is disposed of now, even if its end still waits in the gate.
        if sink.hasEndedHere && !sink.lifetime.isDisposed { innerChains.dispose(sink.lifetime) }
        return sink.hasEndedHere
    }

    // MARK: Events, by the thread that owns the gate

    @inlinable
    @inline(__always)
    func mayNest(_ number: Int) -> Bool { number <= ending.finished }

    @usableFromInline
    func hasSentEnd(_ error: (any Error)?, _ source: FlattenedSource<LimitedMergeCoordinator>, isSubscribing: Bool) {
        guard error == nil else { return }
        if isSubscribing && source.subscriber == crx_thread_self() { source.hasEndedHere = true } else { passPlaceOn() }
    }
}
