public import CRxCore

/// A junction that does something at the first element of one of its sources.
@usableFromInline
protocol TriggeredJunction: GateGuarded {
    var gate: UnsafeMutablePointer<crx_gate> { get }
    var children: Children { get }

    /// Handles an element of the trigger. Only the gate's owner calls it.
    func triggered(by trigger: ChildDisposer)
    /// Ends the chain below. Only the gate's owner calls it.
    func end(_ error: (any Error)?)
}

/// The trigger of a ``TriggeredJunction``: its elements are not looked at, its completion changes nothing, its error is
/// the end.
@usableFromInline
final class TriggerChild<Element, Triggered: TriggeredJunction>: Child<Element>, GateTarget {
    @usableFromInline
    let junction: Triggered

    @inlinable
    init(_ junction: Triggered) {
        self.junction = junction
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: TriggerChild<Element, Triggered>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_: Element) {
        junction.triggered(by: disposer)
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        if let error { junction.end(error) } else { junction.children.dispose(disposer) }
    }
}
