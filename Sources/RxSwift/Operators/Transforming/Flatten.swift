public import CRxCore

/// The sequences that `selector` makes of the elements of `source`, brought together by a junction that is made for
/// each subscription.
@usableFromInline
final class Flatten<
    Input, Source: ObservableConvertibleType, Flattening: Junction<Source.Element> & FlatteningJunction
>:
    Observable<Source.Element>, @unchecked Sendable  // immutable
where Flattening.Output == Source.Element {
    @usableFromInline
    let source: Observable<Input>
    @usableFromInline
    let selector: (Input) throws -> Source
    @usableFromInline
    let junction: (inout Assembly) -> Flattening

    @inlinable
    init(
        _ source: Observable<Input>, _ selector: @escaping (Input) throws -> Source,
        junction: @escaping (inout Assembly) -> Flattening
    ) {
        self.source = source
        self.selector = selector
        self.junction = junction
        super.init { base, assembly in
            let me = unsafeDowncast(base, to: Flatten<Input, Source, Flattening>.self)
            let junction = me.junction(&assembly)
            me.source.subscribe(child: OuterChild(junction, me.selector), in: junction.children)
            return nil
        }
    }
}

/// A junction whose sources are made of the elements of another one, its outer source.
@usableFromInline
protocol FlatteningJunction: GateGuarded {
    associatedtype Output

    var gate: UnsafeMutablePointer<crx_gate> { get }
    /// Whether an element that comes now becomes a source; otherwise it is dropped. Only the gate's owner calls it.
    var takesMore: Bool { get }

    /// Takes a place for a source before it is made, for the selector may make the outer source send or end; false
    /// where none is free. Only the gate's owner calls it.
    func takePlace() -> Bool
    /// Takes a source. Only the gate's owner calls it.
    func add(_ source: Observable<Output>, hasPlace: Bool)
    /// Handles the end of the outer source. Only the gate's owner calls it.
    func outerEnded(_ outer: ChildDisposer, _ error: (any Error)?)
    /// Ends the chain below. Only the gate's owner calls it.
    func end(_ error: (any Error)?)
}

extension FlatteningJunction {
    @inlinable
    @inline(__always)
    var takesMore: Bool { true }

    @inlinable
    @inline(__always)
    func takePlace() -> Bool { true }
}

/// The outer source of a ``FlatteningJunction``, and the user's closure that makes sources of its elements.
@usableFromInline
final class OuterChild<Input, Source: ObservableConvertibleType, Flattening: FlatteningJunction>: Child<Input>,
    GateTarget
where Flattening.Output == Source.Element {
    @usableFromInline
    let junction: Flattening
    @usableFromInline
    let selector: (Input) throws -> Source

    @inlinable
    init(_ junction: Flattening, _ selector: @escaping (Input) throws -> Source) {
        self.junction = junction
        self.selector = selector
        super.init(gate: junction.gate) { base, element in
            unsafeDowncast(base, to: OuterChild<Input, Source, Flattening>.self).enter(element)
        }
    }

    @usableFromInline
    override var guarded: any GateGuarded { junction }

    @inlinable
    @inline(__always)
    func step(_ element: Input) {
        guard junction.takesMore else { return }
        let hasPlace = junction.takePlace()
        do {
            junction.add(try selector(element).asObservable(), hasPlace: hasPlace)
        } catch {
            junction.end(error)
        }
    }

    @usableFromInline
    override func ended(_ error: (any Error)?) {
        junction.outerEnded(disposer, error)
    }
}
