public import CRxCore

/// A junction that passes on what some of its sources send.
@usableFromInline
protocol PassingJunction: GateGuarded {
    associatedtype Output

    var gate: UnsafeMutablePointer<crx_gate> { get }

    /// Hands an element to the chain below. Only the gate's owner calls it.
    func deliver(_ element: Output)
    /// Handles the end of such a source. Only the gate's owner calls it.
    func ended(_ child: ChildDisposer, _ error: (any Error)?)
}

/// A source whose elements its junction passes on.
@usableFromInline
final class PassingChild<Passing: PassingJunction>: Child<Passing.Output>, GateTarget {
    @usableFromInline
    let junction: Passing

    @inlinable
    init(_ junction: Passing, _ disposer: ChildDisposer = ChildDisposer()) {
        self.junction = junction
        super.init(gate: junction.gate, disposer) { base, element in
            unsafeDowncast(base, to: PassingChild<Passing>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Passing.Output) {
        junction.deliver(element)
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        junction.ended(disposer, error)
    }
}
