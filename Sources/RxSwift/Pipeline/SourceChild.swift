public import CRxCore

/// A junction that one source feeds, besides timers.
@usableFromInline
protocol SourceJunction: GateGuarded {
    associatedtype Input

    var gate: UnsafeMutablePointer<crx_gate> { get }

    /// Handles an element of the source. Only the gate's owner calls it.
    func next(_ element: Input)
    /// Handles the end of the source. Only the gate's owner calls it.
    func sourceEnded(_ error: (any Error)?, _ source: ChildDisposer)
}

/// The source of a ``SourceJunction``.
@usableFromInline
final class SourceChild<Junction: SourceJunction>: Child<Junction.Input>, GateTarget {
    @usableFromInline
    let junction: Junction

    @inlinable
    init(_ junction: Junction) {
        self.junction = junction
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: SourceChild<Junction>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Junction.Input) {
        junction.next(element)
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        junction.sourceEnded(error, disposer)
    }
}
